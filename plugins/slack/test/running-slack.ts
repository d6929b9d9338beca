import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type {
  AdapterEvents,
  CommandInfo,
  Conversation,
  InboundMessage,
  SendOptions,
  ThreadOptions,
} from "@hermes/core";
import { createVirtualClock, pluginDeps, type VirtualClock } from "@hermes/testing";
import { type SlackEmulator, type SlackEmulatorOptions, startSlackEmulator } from "../emulator/index.ts";
import { SlackAdapter } from "../src/adapter.ts";
import { slackOptions } from "../src/config.ts";

export const TEAM = "T0EMULATOR";

const COMMANDS: readonly CommandInfo[] = [
  { name: "new", description: "Begins a new session", argumentHint: "" },
  { name: "title", description: "Names the session", argumentHint: "[title]" },
];

/** A started adapter in a workspace of its own, and a Hermes that only notes what it receives. */
export interface RunningSlack extends AsyncDisposable {
  readonly emulator: SlackEmulator;
  /** The adapter's clock, which the test turns; the emulator has the machine's. */
  readonly clock: VirtualClock;
  readonly adapter: SlackAdapter;
  readonly received: InboundMessage[];
  /** The plugin's own folder. */
  readonly folder: string;
  readonly logged: string[];
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** Stops the adapter. */
  stop(): Promise<void>;
  /** Ends it as a kill does: what it would write down when it stops is not there. */
  kill(): Promise<void>;
  /** Starts another adapter on the same folder, as a new process would. */
  startAgain(): Promise<void>;
  /** Stops the adapter and starts another one. */
  restart(): Promise<void>;
  /** The bodies of the calls of a method so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
  /** Waits until something that the network brings about is so. */
  until(isSo: () => boolean): Promise<void>;
}

export async function startSlack(
  options: Record<string, unknown> = {},
  platform: SlackEmulatorOptions = {},
): Promise<RunningSlack> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-slack-"));
  const emulator = await startSlackEmulator({ ackWithinMs: 200, ...platform });
  const clock = createVirtualClock(Date.now());
  const checked = slackOptions.parse({ ...emulator.options, ...options });
  const logged: string[] = [];
  const make = () => new SlackAdapter(pluginDeps({ options: checked, clock, folder, commands: COMMANDS }, logged));
  const events: AdapterEvents = {
    async receive(message) {
      running.received.push(message);
      await running.onReceive(message);
    },
    async settle() {},
    async choose() {},
    async moved() {},
    fail() {},
  };
  const running: RunningSlack & { adapter: SlackAdapter } = {
    emulator,
    clock,
    adapter: make(),
    received: [],
    folder,
    logged,
    onReceive: async () => {},
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
      await running.adapter.start(events, new AbortController().signal);
    },
    async restart() {
      await running.stop();
      await running.startAgain();
    },
    calls: (method) =>
      emulator.log.filter((entry) => entry.method === method).map(({ body }) => body as Record<string, unknown>),
    until,
    async [Symbol.asyncDispose]() {
      await running.adapter.stop();
      await emulator.close();
      rmSync(folder, { recursive: true });
    },
  };
  try {
    await running.adapter.start(events, new AbortController().signal);
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
  return running;
}

/** How long anything that the network brings about may take, in milliseconds. */
const PATIENCE_MS = 4_000;

export async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`it never came about: ${isSo.toString()}`);
    await turn();
  }
}

export function at(chatId: string, threadId?: string): Conversation {
  const thread = threadId === undefined ? {} : { threadId };
  return { platform: "slack", chatId, kind: chatId.startsWith("D") ? "dm" : "group", scope: TEAM, ...thread };
}

export function sending(key = "key-1"): SendOptions {
  return { key, signal: new AbortController().signal };
}

export function opening(chatId: string, mark = "mark-1"): ThreadOptions {
  return { home: { chatId }, mark, signal: new AbortController().signal };
}
