/** WhatsApp on this machine, for tests and for trying Hermes without an account. */
import type { Emulator, EmulatorOptions } from "@hermes/core/emulator";
import { startWhatsAppCloudEmulator } from "./cloud/cloud-emulator.ts";

export {
  CLOUD_CHATS,
  type CloudEmulatorOptions,
  startWhatsAppCloudEmulator,
  WhatsAppCloudEmulator,
} from "./cloud/cloud-emulator.ts";
export {
  PERSONAL_CHATS,
  startWhatsAppPersonalEmulator,
  WhatsAppPersonalEmulator,
} from "./personal/personal-emulator.ts";

/** What `hermes emulate whatsapp` starts: the Cloud API. */
export function startEmulator(options?: EmulatorOptions): Promise<Emulator> {
  return startWhatsAppCloudEmulator(options);
}
