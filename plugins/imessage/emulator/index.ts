/** A BlueBubbles server on this machine, with people who write, for tests and for trying the plugin without a Mac. */
import type { EmulatorOptions } from "@hermes/emulator";
import { BlueBubblesEmulator } from "./bluebubbles-emulator.ts";

export { type BlueBubblesEmulator, CHATS, PEOPLE } from "./bluebubbles-emulator.ts";
export type { GroupChange } from "./group-changes.ts";
export type { MacState } from "./mac.ts";
export type { IMessageInbound } from "./writing.ts";

/**
 * Starts an emulator.
 *
 * ```ts
 * await using emulator = await startBlueBubblesEmulator();
 * imessage({ ...emulator.options, homeChannel: CHATS.ada });
 * ```
 */
export function startBlueBubblesEmulator(options?: EmulatorOptions): Promise<BlueBubblesEmulator> {
  return BlueBubblesEmulator.start(options);
}

/** @alias For `hermes emulate imessage`. */
export const startEmulator = startBlueBubblesEmulator;
