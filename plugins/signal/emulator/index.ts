/** A `signal-cli daemon --http` on this machine, for tests and for trying the plugin without an account. */
import { SignalEmulator, type SignalEmulatorOptions } from "./signal-emulator.ts";

export { CHATS, PEOPLE, type SignalEmulator, type SignalEmulatorOptions } from "./signal-emulator.ts";
export type { WireStyle } from "./wire.ts";
export type { SignalInbound } from "./writing.ts";

/**
 * Starts an emulator.
 *
 * ```ts
 * await using emulator = await startSignalEmulator();
 * signal({ ...emulator.options, homeChannel: PEOPLE.ada.number });
 * ```
 */
export function startSignalEmulator(options?: SignalEmulatorOptions): Promise<SignalEmulator> {
  return SignalEmulator.start(options);
}

/** @alias For `hermes emulate signal`. */
export const startEmulator = startSignalEmulator;
