import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvents, CommandInfo, InboundMessage, SendOptions, ThreadOptions } from "@hermes/core";
import { createVirtualClock, pluginDeps, type VirtualClock } from "@hermes/testing";
import { startTelegramEmulator, type TelegramEmulator } from "../emulator/index.ts";
import { TelegramAdapter } from "../src/adapter.ts";
import { telegramOptions } from "../src/config.ts";

const COMMANDS: readonly CommandInfo[] = [
  { name: "new", description: "Begins a new session", argumentHint: "" },
  { name: "resume", description: "Goes on with a session", argumentHint: "[title|number]" },
  { name: "who-am-i", description: "Says who you are here", argumentHint: "" },
];

/** A started adapter with a Telegram of its own, and a Hermes that only notes what it receives. */
export interface RunningTelegram extends AsyncDisposable {
  readonly emulator: TelegramEmulator;
  readonly clock: VirtualClock;
  readonly adapter: TelegramAdapter;
  readonly received: InboundMessage[];
  readonly logged: string[];
  /** Chats that got another id: the former one, and the one that they have now. */
  readonly moved: [string, string][];
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** Stops the adapter and starts another one on the same folder, as a new process would. */
  restart(): Promise<void>;
  /** The bodies of the calls of a method so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
}

/** `prepare` sets the platform up before the adapter starts. */
export async function startTelegram(
  options: Record<string, unknown> = {},
  prepare: (emulator: TelegramEmulator) => void = () => {},
): Promise<RunningTelegram> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-telegram-"));
  const emulator = await startTelegramEmulator();
  prepare(emulator);
  const clock = createVirtualClock(Date.now());
  const checked = telegramOptions.parse({ ...emulator.options, ...options });
  const logged: string[] = [];
  const make = () => new TelegramAdapter(pluginDeps({ options: checked, clock, folder, commands: COMMANDS }, logged));
  const events: AdapterEvents = {
    async receive(message) {
      running.received.push(message);
      await running.onReceive(message);
    },
    async settle() {},
    async choose() {},
    moved: async (from, to) => void running.moved.push([from.chatId, to.chatId]),
    fail() {},
  };
  let leaving = new AbortController();
  const start = () => {
    leaving = new AbortController();
    return running.adapter.start(events, leaving.signal);
  };
  /** As the host ends a plugin. */
  const end = async () => {
    leaving.abort();
    await running.adapter.stop();
  };
  const running: RunningTelegram & { adapter: TelegramAdapter } = {
    emulator,
    clock,
    adapter: make(),
    received: [],
    moved: [],
    logged,
    onReceive: async () => {},
    async restart() {
      await end();
      running.adapter = make();
      await start();
    },
    calls: (method) =>
      emulator.log.filter((entry) => entry.method === method).map(({ body }) => body as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await end();
      await emulator.close();
      rmSync(folder, { recursive: true });
    },
  };
  try {
    await start();
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

export const sendOptions: SendOptions = { key: "key", signal: new AbortController().signal };

export function threadOptions(chatId: string, signal = new AbortController().signal): ThreadOptions {
  return { home: { chatId }, mark: "mark", signal };
}
