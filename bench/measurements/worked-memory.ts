import { setTimeout as sleep } from "node:timers/promises";
import { EVERY_SESSION, type Store } from "@hermes/core/embed";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { type EmulatedPlatform, PLATFORMS, pluginFor, type Writer } from "../support/emulated-platform.ts";
import type { Measurement, Values } from "../support/measurement.ts";
import { residentMiB } from "../support/process-usage.ts";

const CHATS = 100;
const PER_ROUND = 200;

/** How long a gateway is left alone before its memory is looked at, in milliseconds. */
const SETTLE_MS = 10_000;

/** How long one step may take, in milliseconds: at its own pace a platform takes ten minutes for the last answers. */
const PATIENCE_MS = 1_200_000;

export const workedMemory: Measurement = {
  name: "worked-memory",
  what: "a gateway's resident memory 10 s after it has answered 20,000 messages, as a multiple of that at its start",
  unit: "times",
  target: { figure: "growth", atMost: 1.34 },
  async run({ quick, progress }) {
    const messages = quick ? 2_000 : 20_000;
    const cases: Record<string, Values> = {};
    for (const [name, start] of Object.entries(PLATFORMS)) {
      progress(`${messages} messages on ${name}`);
      cases[name] = await grow(await start(), messages);
    }
    const worst = Math.max(...Object.values(cases).map(({ growth = 0 }) => growth));
    return { values: { growth: worst }, cases };
  },
};

async function grow(emulated: EmulatedPlatform, messages: number): Promise<Values> {
  const { platform, emulator } = emulated;
  await using machine = new HermesMachine({ plugins: [pluginFor(emulated)] });
  try {
    await emulated.prepare?.(machine);
    const { pid } = await machine.startGateway();
    const places = await emulated.openPlaces(CHATS);
    const work = new Work(await machine.store(), platform);
    await work.over(0);
    await sleep(SETTLE_MS);
    const startMiB = residentMiB(pid);
    let mostMiB = startMiB;
    const before = await work.written();
    for (let round = 1; round <= messages / PER_ROUND; round++) {
      for (const [i, at] of inTurn(places).entries()) await emulator.receive({ ...at, text: `${round}, ${i}` });
      await work.taken(before + 2 * PER_ROUND * round);
      mostMiB = Math.max(mostMiB, residentMiB(pid));
    }
    await work.over(before + 2 * messages);
    await sleep(SETTLE_MS);
    const endMiB = residentMiB(pid);
    return { startMiB, mostMiB, endMiB, growth: endMiB / startMiB };
  } finally {
    await emulator.close();
  }
}

function inTurn(places: readonly Writer[]): Writer[] {
  return Array.from({ length: PER_ROUND / places.length }, () => places).flat();
}

/** How far a gateway is, as its store tells. */
class Work {
  readonly #store: Store;
  readonly #platform: string;

  constructor(store: Store, platform: string) {
    this.#store = store;
    this.#platform = platform;
  }

  /** How many messages stand in all transcripts. */
  async written(): Promise<number> {
    const { sessions } = await this.#store.sessions.list({ visible: EVERY_SESSION, limit: 10_000 });
    return sessions.reduce((sum, { messageCount }) => sum + messageCount, 0);
  }

  /** Each message has its turn behind it; answers may still be on their way. */
  async taken(written: number): Promise<void> {
    await until(`${written} messages on ${this.#platform}`, async () => (await this.written()) >= written);
  }

  /** The answers are out as well, at the platform's own pace: some take 30 a second. */
  async over(written: number): Promise<void> {
    await this.taken(written);
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
      if ((await this.#store.outbox.openLanes(this.#platform, undefined)).length === 0) return;
    }
    throw new Error(`not all answers on ${this.#platform} went out in time`);
  }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(20)) {
    if (Date.now() > end) throw new Error(`${what} did not come about`);
  }
}
