import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { InboundMessage, SendOptions } from "@hermes/core";
import { createVirtualClock, type RunningAdapter, startAdapter, type VirtualClock } from "@hermes/testing";
import { type SignalEmulator, type SignalInbound, startSignalEmulator } from "../emulator/index.ts";
import { SignalAdapter } from "../src/adapter.ts";
import { signalOptions } from "../src/config.ts";

export interface RunningSignal extends RunningAdapter<SignalAdapter, SignalEmulator> {
  /** What Hermes makes of a message; undefined when it never hears of it. */
  heard(message: SignalInbound): Promise<InboundMessage | undefined>;
}

/** `prepare` sets the platform up before the adapter starts. */
export async function startSignal(
  config: Record<string, unknown> = {},
  prepare: (emulator: SignalEmulator, clock: VirtualClock) => void = () => {},
): Promise<RunningSignal> {
  const clock = createVirtualClock(Date.now());
  const running = await startAdapter({
    emulator: await startSignalEmulator(),
    options: signalOptions,
    config,
    clock,
    prepare: (emulator) => prepare(emulator, clock),
    create: (deps) => new SignalAdapter(deps),
  });
  const { emulator, received, logged, until, folder } = running;
  return Object.assign(running, {
    async heard(message: SignalInbound) {
      const before = received.length;
      await emulator.receive(message);
      // Those of a chat come one after the other; that nothing waits any more says that no other chat's comes, either.
      const marker = `marker ${before} ${logged.length}`;
      await emulator.receive({ chatId: emulator.chats[1]?.id ?? "", text: marker });
      await until(() => received.some(({ text }) => text === marker));
      await until(() => waitingIn(join(folder, "events.jsonl")) === 0);
      const [found, ...more] = received.splice(before).filter(({ text }) => text !== marker);
      if (more.length > 0) throw new Error(`${more.length} more messages were heard`);
      return found;
    },
  });
}

export const sendOptions: SendOptions = { key: "key", signal: new AbortController().signal };

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
