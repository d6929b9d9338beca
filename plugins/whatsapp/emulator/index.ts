/** WhatsApp on this machine, for tests and for trying Hermes without an account. */
import { HermesError } from "@hermes/core";
import type { Emulator, EmulatorOptions } from "@hermes/emulator";
import { withPersonalLibrary } from "#src/personal-library";
import { BothTransports } from "./both-transports.ts";
import { startWhatsAppCloudEmulator } from "./cloud/cloud-emulator.ts";
import type { WhatsAppPersonalEmulator } from "./personal/personal-emulator.ts";

export {
  CLOUD_CHATS,
  type CloudEmulatorOptions,
  startWhatsAppCloudEmulator,
  WhatsAppCloudEmulator,
} from "./cloud/cloud-emulator.ts";
export { PERSONAL_CHATS } from "./personal/chats.ts";
export type { WhatsAppPersonalEmulator };

/** Starts a WhatsApp for linked devices on this machine. Throws PLUGIN_NEEDS_PACKAGE where its library is missing. */
export async function startWhatsAppPersonalEmulator(options: EmulatorOptions = {}): Promise<WhatsAppPersonalEmulator> {
  const load = () => import("./personal/personal-emulator.ts");
  const { WhatsAppPersonalEmulator } = await withPersonalLibrary(load);
  return WhatsAppPersonalEmulator.start(options);
}

/** What `hermes emulate whatsapp` starts: both ways to WhatsApp, or the one that needs no further library. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const cloud = await startWhatsAppCloudEmulator(options);
  try {
    // On a port of its own: the one that was asked for is the Cloud API's, with the page on it.
    const { port: _, handle: __, ...more } = options;
    return new BothTransports(cloud, await startWhatsAppPersonalEmulator(more));
  } catch (error) {
    if (error instanceof HermesError && error.code === "PLUGIN_NEEDS_PACKAGE") return cloud;
    await cloud.close();
    throw error;
  }
}
