import type { CommandInfo, Conversation, Piece, SendReceipt } from "@hermes/core";
import { createVirtualClock, type RunningAdapter, startAdapter } from "@hermes/testing";
import { CHANNEL, type DiscordEmulator, startDiscordEmulator } from "../emulator/index.ts";
import { DiscordAdapter } from "../src/adapter.ts";
import { discordOptions } from "../src/config.ts";

export interface RunningDiscord extends RunningAdapter<DiscordAdapter, DiscordEmulator> {
  send(to: Conversation, piece: Piece | string, key: string): Promise<SendReceipt>;
}

export const SIGNAL = new AbortController().signal;

export const COMMANDS: readonly CommandInfo[] = [
  { name: "status", description: "Show where things stand", argumentHint: "" },
  { name: "title", description: "Name this session", argumentHint: "[title]" },
];

export const IN_GENERAL: Conversation = { platform: "discord", chatId: CHANNEL.general, kind: "group" };
export const IN_DM: Conversation = { platform: "discord", chatId: CHANNEL.dm, kind: "dm" };

/** The emulator has the adapter's clock. `prepare` sets the platform up before the adapter starts. */
export async function startDiscord(
  config: Record<string, unknown> = {},
  prepare?: (emulator: DiscordEmulator) => void,
): Promise<RunningDiscord> {
  const clock = createVirtualClock();
  const running = await startAdapter({
    emulator: await startDiscordEmulator({ clock }),
    options: discordOptions,
    config,
    clock,
    commands: COMMANDS,
    prepare,
    create: (deps) => new DiscordAdapter(deps),
  });
  return Object.assign(running, {
    send: (to: Conversation, piece: Piece | string, key: string) =>
      running.adapter.send(to, typeof piece === "string" ? { text: piece } : piece, {
        ...{ key, signal: SIGNAL },
        ...(typeof piece !== "string" && piece.file?.text !== undefined && { content: Buffer.from(piece.file.text) }),
      }),
  });
}
