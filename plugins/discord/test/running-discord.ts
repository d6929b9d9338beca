import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvents, CommandInfo, Conversation, InboundMessage, Piece, SendReceipt } from "@hermes/core";
import { createVirtualClock, pluginDeps, type VirtualClock } from "@hermes/testing";
import { CHANNEL, type DiscordEmulator, startDiscordEmulator } from "../emulator/index.ts";
import { DiscordAdapter } from "../src/adapter.ts";
import { discordOptions } from "../src/config.ts";

/** A started adapter on an emulator, with a Hermes that only notes what it receives. */
export interface RunningDiscord extends AsyncDisposable {
  readonly emulator: DiscordEmulator;
  readonly clock: VirtualClock;
  readonly adapter: DiscordAdapter;
  readonly received: InboundMessage[];
  /** The plugin's own folder. */
  readonly folder: string;
  readonly logged: string[];
  /** With what the plugin asked to be started again. */
  readonly failures: unknown[];
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  send(to: Conversation, piece: Piece | string, key: string): Promise<SendReceipt>;
  /** Resolves when Hermes has received so many messages in all. */
  untilReceived(count: number): Promise<InboundMessage[]>;
  until(isSo: () => boolean): Promise<void>;
  stop(): Promise<void>;
  /** Ends it as a kill does: what it would write down when it stops is not there. */
  kill(): Promise<void>;
  /** Starts another adapter on the same folder, as a new process would. */
  startAgain(): Promise<void>;
}

export const SIGNAL = new AbortController().signal;

export const COMMANDS: readonly CommandInfo[] = [
  { name: "status", description: "Show where things stand", argumentHint: "" },
  { name: "title", description: "Name this session", argumentHint: "[title]" },
];

export const IN_GENERAL: Conversation = { platform: "discord", chatId: CHANNEL.general, kind: "group" };
export const IN_DM: Conversation = { platform: "discord", chatId: CHANNEL.dm, kind: "dm" };

/** How long anything may take, in milliseconds: a connection is made anew after half a second. */
const PATIENCE_MS = 8_000;

export async function startDiscord(
  options: Partial<Parameters<typeof discordOptions.parse>[0] & object> = {},
  prepare: (emulator: DiscordEmulator) => void = () => {},
): Promise<RunningDiscord> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-discord-"));
  const clock = createVirtualClock();
  const emulator = await startDiscordEmulator({ clock });
  prepare(emulator);
  const checked = discordOptions.parse({ ...emulator.options, ...options });
  const logged: string[] = [];
  const failures: unknown[] = [];
  const make = () => new DiscordAdapter(pluginDeps({ options: checked, clock, folder, commands: COMMANDS }, logged));
  const running: RunningDiscord & { adapter: DiscordAdapter } = {
    emulator,
    clock,
    adapter: make(),
    received: [],
    folder,
    logged,
    failures,
    onReceive: async () => {},
    send: (to, piece, key) =>
      running.adapter.send(to, typeof piece === "string" ? { text: piece } : piece, { key, signal: SIGNAL }),
    async untilReceived(count) {
      await running.until(() => running.received.length >= count);
      return running.received;
    },
    async until(isSo) {
      const end = Date.now() + PATIENCE_MS;
      while (!isSo()) {
        if (Date.now() > end) throw new Error(`it never came about: ${isSo}\n${logged.join("\n")}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    stop: () => running.adapter.stop(),
    async kill() {
      const asItWas = `${folder}.as-it-was`;
      cpSync(folder, asItWas, { recursive: true });
      await running.adapter.stop();
      rmSync(folder, { recursive: true });
      renameSync(asItWas, folder);
    },
    async startAgain() {
      running.adapter = make();
      await running.adapter.start(events, SIGNAL);
    },
    async [Symbol.asyncDispose]() {
      await running.adapter.stop();
      await emulator.close();
      rmSync(folder, { recursive: true });
    },
  };
  const events: AdapterEvents = {
    async receive(message) {
      await running.onReceive(message);
      running.received.push(message);
    },
    async settle() {},
    async choose() {},
    async moved() {},
    fail: (error) => void failures.push(error),
  };
  try {
    await running.adapter.start(events, SIGNAL);
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}
