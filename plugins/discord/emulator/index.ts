import type { EmulatorOptions } from "@hermes/emulator";
import { DiscordEmulator } from "./emulator.ts";

export { DiscordEmulator } from "./emulator.ts";
export type { InteractionAnswer } from "./interactions.ts";
export type { Right } from "./rights.ts";
export { BOT, CHANNEL, GUILD, PERSON } from "./world.ts";

/** Discord on this machine: the REST API and the gateway, with one server, one person and one bot. */
export function startDiscordEmulator(options: EmulatorOptions = {}): Promise<DiscordEmulator> {
  return DiscordEmulator.start(options);
}

/** @alias For `hermes emulate discord`. */
export const startEmulator = startDiscordEmulator;
export type { DiscordInbound } from "./writing.ts";
