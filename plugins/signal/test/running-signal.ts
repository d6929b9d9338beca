import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvents, InboundMessage, SendOptions } from "@hermes/core";
import { createVirtualClock, openIdentities, pluginDeps, type VirtualClock } from "@hermes/testing";
import { type SignalEmulator, type SignalInbound, startSignalEmulator } from "../emulator/index.ts";
import { SignalAdapter } from "../src/adapter.ts";
import { signalOptions } from "../src/config.ts";

/** An adapter with a Signal of its own, and a Hermes that only notes what it receives. */
export interface RunningSignal extends AsyncDisposable {
  readonly emulator: SignalEmulator;
  readonly clock: VirtualClock;
  readonly adapter: SignalAdapter;
  readonly received: InboundMessage[];
  readonly logged: string[];
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** What Hermes makes of a message; undefined when it never hears of it. */
  heard(message: SignalInbound): Promise<InboundMessage | undefined>;
  /** Stops the adapter. */
  stop(): Promise<void>;
  /** Starts another one on the same folder, as a new process would. */
  startAgain(): Promise<void>;
  /** The parameters of the calls of a method so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
}

/** `prepare` sets the platform up before the adapter starts. */
export async function startSignal(
  options: Record<string, unknown> = {},
  prepare: (emulator: SignalEmulator, clock: VirtualClock) => void = () => {},
): Promise<RunningSignal> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-signal-"));
  const emulator = await startSignalEmulator();
  const clock = createVirtualClock(Date.now());
  prepare(emulator, clock);
  const checked = signalOptions.parse({ ...emulator.options, ...options });
  const logged: string[] = [];
  const identities = await openIdentities(folder, { platform: "signal", options: checked, clock });
  const make = () => new SignalAdapter(pluginDeps({ options: checked, clock, folder, identities }, logged));
  const events: AdapterEvents = {
    async receive(message) {
      running.received.push(message);
      await identities.keep(message.sender);
      await running.onReceive(message);
    },
    async settle() {},
    async choose() {},
    async moved() {},
    fail() {},
  };
  const running: RunningSignal & { adapter: SignalAdapter } = {
    emulator,
    clock,
    adapter: make(),
    received: [],
    logged,
    onReceive: async () => {},
    async heard(message) {
      const before = running.received.length;
      await emulator.receive(message);
      // Those of a chat come one after the other; that nothing waits any more says that no other chat's comes, either.
      const marker = `marker ${before} ${logged.length}`;
      await emulator.receive({ chatId: emulator.chats[1]?.id ?? "", text: marker });
      await expectSoon(() => running.received.some(({ text }) => text === marker));
      await expectSoon(() => waitingIn(join(folder, "events.jsonl")) === 0);
      const [found, ...more] = running.received.splice(before).filter(({ text }) => text !== marker);
      if (more.length > 0) throw new Error(`${more.length} more messages were heard`);
      return found;
    },
    stop: () => running.adapter.stop(),
    async startAgain() {
      running.adapter = make();
      await running.adapter.start(events, new AbortController().signal);
    },
    calls: (method) =>
      emulator.log.filter((entry) => entry.method === method).map(({ body }) => body as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await running.adapter.stop();
      await identities[Symbol.asyncDispose]();
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

export const sendOptions: SendOptions = { key: "key", signal: new AbortController().signal };

async function expectSoon(isSo: () => boolean): Promise<void> {
  const end = Date.now() + 5_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error("a message never came");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** How many events of the journal Hermes does not have yet. */
function waitingIn(journal: string): number {
  const waiting = new Set<unknown>();
  for (const line of readFileSync(journal, "utf8").trim().split("\n")) {
    const { kept, done } = JSON.parse(line) as Record<string, unknown>;
    if (kept) waiting.add(kept);
    waiting.delete(done);
  }
  return waiting.size;
}
