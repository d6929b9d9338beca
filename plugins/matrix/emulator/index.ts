/** A Matrix homeserver on this machine, for tests and for trying the plugin without an account. */
import type { EmulatorOptions } from "@hermes/emulator";
import { MatrixEmulator } from "./matrix-emulator.ts";

export type { MatrixEmulator } from "./matrix-emulator.ts";
export type { NewRoom } from "./new-room.ts";
export { ADA, BOT, ROOMS } from "./new-room.ts";
export type { MatrixInbound } from "./writing.ts";

/**
 * Starts an emulator.
 *
 * ```ts
 * await using emulator = await startMatrixEmulator();
 * matrix({ ...emulator.options, homeChannel: ROOMS.direct });
 * ```
 */
export function startMatrixEmulator(options?: EmulatorOptions): Promise<MatrixEmulator> {
  return MatrixEmulator.start(options);
}

/** @alias For `hermes emulate matrix`. */
export const startEmulator = startMatrixEmulator;
