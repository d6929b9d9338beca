import { notingLogger, type RunningAdapter, startAdapter } from "@hermes/testing";
import { startWhatsAppPersonalEmulator, type WhatsAppPersonalEmulator } from "../emulator/index.ts";
import { whatsappOptions } from "../src/config.ts";
import { PersonalAdapter } from "../src/personal/adapter.ts";
import { linkDevice } from "../src/personal/link.ts";

export interface RunningPersonal extends RunningAdapter<PersonalAdapter, WhatsAppPersonalEmulator> {
  /** Links a device, as `hermes whatsapp link` does. */
  link(): Promise<string>;
}

/** Without `isLinked` nothing is started. */
export async function startPersonal({
  options = {},
  isLinked = true,
}: {
  readonly options?: Record<string, unknown>;
  readonly isLinked?: boolean;
} = {}): Promise<RunningPersonal> {
  const started = await startAdapter({
    emulator: await startWhatsAppPersonalEmulator(),
    options: whatsappOptions,
    config: options,
    create: (deps) => new PersonalAdapter(deps),
    isStarted: false,
  });
  const running = Object.assign(started, { link: () => link(started.emulator, started.folder) });
  try {
    if (isLinked) {
      await running.link();
      await running.start();
    }
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

/** Links a device to the emulator's account, whose phone scans the code at once. */
export function link(emulator: WhatsAppPersonalEmulator, folder: string): Promise<string> {
  const options = whatsappOptions.parse(emulator.options);
  return linkDevice({ options, folder, logger: notingLogger([]), onCode: (code) => emulator.scan(code) });
}
