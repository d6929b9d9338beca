/** A small Acme on this machine, for tests and for `hermes emulate acme`. */
import type { EmulatorOptions } from "@hermes/emulator";
import { AcmeEmulator } from "./acme-emulator.ts";

export type { AcmeEmulator } from "./acme-emulator.ts";
export { CHATS } from "./world.ts";

/** Starts an emulator; `hermes emulate acme` calls it, too. */
export function startEmulator(options?: EmulatorOptions): Promise<AcmeEmulator> {
  return AcmeEmulator.start(options);
}
