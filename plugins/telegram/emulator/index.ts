/** A Telegram on this machine, for tests and for trying the plugin without an account. */
import type { EmulatorOptions } from "@hermes/emulator";
import { TelegramEmulator } from "./telegram-emulator.ts";

export { CHATS, type TelegramEmulator } from "./telegram-emulator.ts";
export type { WireChat, WireEntity } from "./wire.ts";
export type { BotRight, BotStatus } from "./world.ts";
export type { TelegramInbound } from "./writing.ts";

/**
 * Starts an emulator.
 *
 * ```ts
 * await using emulator = await startTelegramEmulator();
 * telegram({ ...emulator.options, homeChannel: CHATS.private });
 * ```
 */
export function startTelegramEmulator(options?: EmulatorOptions): Promise<TelegramEmulator> {
  return TelegramEmulator.start(options);
}

/** @alias For `hermes emulate telegram`. */
export const startEmulator = startTelegramEmulator;
