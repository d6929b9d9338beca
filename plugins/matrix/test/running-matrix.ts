import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvents, CommandInfo, InboundMessage, SendOptions, ThreadOptions } from "@hermes/core";
import { createVirtualClock, pluginDeps, type VirtualClock } from "@hermes/testing";
import { type MatrixEmulator, startMatrixEmulator } from "../emulator/index.ts";
import { MatrixAdapter } from "../src/adapter.ts";
import { matrixOptions } from "../src/config.ts";

const COMMANDS: readonly CommandInfo[] = [
  { name: "new", description: "Begins a new session", argumentHint: "" },
  { name: "resume", description: "Goes on with a session", argumentHint: "[title|number]" },
  { name: "who-am-i", description: "Says who you are here", argumentHint: "" },
];

/** A started adapter with a homeserver of its own, and a Hermes that only notes what it receives. */
export interface RunningMatrix extends AsyncDisposable {
  readonly emulator: MatrixEmulator;
  readonly clock: VirtualClock;
  readonly adapter: MatrixAdapter;
  readonly received: InboundMessage[];
  readonly logged: string[];
  /** Why the plugin cannot go on: its host starts it again then. */
  readonly failures: unknown[];
  /** The plugin's own folder. */
  readonly folder: string;
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** Whether this process has the account. */
  holdsAccount: boolean;
  stop(): Promise<void>;
  /** Stops the adapter and starts another one on the same folder, as a new process would. */
  restart(changed?: Record<string, unknown>): Promise<void>;
  /** The bodies of the calls of a method so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
}

/** `prepare` sets the platform up before the adapter starts. */
export async function startMatrix(
  options: Record<string, unknown> = {},
  prepare: (emulator: MatrixEmulator) => void | Promise<void> = () => {},
): Promise<RunningMatrix> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-matrix-"));
  const emulator = await startMatrixEmulator();
  await prepare(emulator);
  const clock = createVirtualClock(Date.now());
  const written = { ...emulator.options, allowedUsers: ["*"], ...options };
  const logged: string[] = [];
  const failures: unknown[] = [];
  const make = (changed: Record<string, unknown> = {}) => {
    const checked = matrixOptions.parse({ ...written, ...changed });
    return new MatrixAdapter(pluginDeps({ options: checked, clock, folder, commands: COMMANDS }, logged));
  };
  const events: AdapterEvents = {
    async receive(message) {
      running.received.push(message);
      await running.onReceive(message);
    },
    async settle() {},
    async choose() {},
    async moved() {},
    fail: (error) => void failures.push(error),
    holdsAccount: async () => running.holdsAccount,
  };
  const running: RunningMatrix & { adapter: MatrixAdapter } = {
    emulator,
    clock,
    folder,
    adapter: make(),
    received: [],
    logged,
    failures,
    onReceive: async () => {},
    holdsAccount: true,
    stop: () => running.adapter.stop(),
    async restart(changed) {
      await running.adapter.stop();
      running.adapter = make(changed);
      await running.adapter.start(events, new AbortController().signal);
    },
    calls: (method) =>
      emulator.log.filter((entry) => entry.method === method).map(({ body }) => body as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await running.adapter.stop();
      await emulator.close();
      rmSync(folder, { recursive: true });
    },
  };
  try {
    await running.adapter.start(events, new AbortController().signal);
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

export const signal = new AbortController().signal;

export function sendOptions(key = "key"): SendOptions {
  return { key, signal };
}

export function threadOptions(chatId: string, mark = "mark", until = signal): ThreadOptions {
  return { home: { chatId }, mark, signal: until };
}
