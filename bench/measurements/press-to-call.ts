import type { EmulatedPress } from "@hermes/emulator";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { AnsweringProcess } from "../support/answering-process.ts";
import { waitingTurn } from "../support/fill-waiting.ts";
import type { Measurement } from "../support/measurement.ts";
import { discord } from "../support/platforms/discord.ts";
import { type EmulatedPlatform, pluginFor, type Writer } from "../support/platforms/platform.ts";
import { seededRandom } from "../support/random.ts";
import { createScratchHost, type ScratchHost } from "../support/scratch-host.ts";
import { summarize, timed } from "../support/statistics.ts";
import { timeRequest } from "../support/time-request.ts";

/** Presses before those that count: names are looked up, connections opened. */
const WARM_UP = 10;

/** The platform's pace is for each thread, so that many of them wait for it little. */
const THREADS = 20;

const GATEWAY = import.meta.resolve("../support/asking-gateway.ts");

export const pressToCall: Measurement = {
  name: "press-to-call",
  what: "a person presses “Allow once” on the platform (an emulator), until a gateway has recorded that the call begins, and runs it",
  unit: "ms",
  target: { figure: "p95", atMost: 20 },
  async run({ quick, progress }) {
    const count = quick ? 20 : 200;
    progress(`${count} presses on discord, one after the other`);
    const platform = await discord();
    const { emulator } = platform;
    const operators = emulator.people.map(({ id }) => id);
    const options = { ...platform.options, allowedUsers: operators, operators };
    await using machine = new HermesMachine({ plugins: [pluginFor({ ...platform, options })] });
    const where = { cwd: machine.folder, env: machine.environment };
    await using gateway = await AnsweringProcess.start(GATEWAY, [], platform, where);
    await using scratch = await createScratchHost();
    const random = seededRandom(8);
    const places = await platform.openPlaces(THREADS);
    const times: number[] = [];
    const store: number[] = [];
    const http: number[] = [];
    for (let i = 0; i < WARM_UP + count; i++) {
      const at = places[i % places.length] as Writer;
      const text = `Message ${i}`;
      await emulator.receive({ ...at, text });
      const press = await questionAt(platform, at);
      await new Promise((resolve) => setTimeout(resolve, 50 + (random() % 100)));
      const took = await gateway.timeUntilAsked(text, async () => emulator.press?.(press));
      await said(platform, at, "Done.");
      const alone = await inStore(scratch, i);
      if (i < WARM_UP) continue;
      times.push(took);
      store.push(alone);
      http.push(await timeRequest(emulator));
    }
    await emulator.close();
    return {
      values: summarize(times),
      baselines: [
        { what: "the store's own three calls: decided, resumed, begun", values: summarize(store) },
        { what: "one HTTP request to the emulator, within this process", values: summarize(http) },
      ],
    };
  },
};

/** Waits until a thread shows the question, and returns how a person allows it. */
async function questionAt({ emulator }: EmulatedPlatform, at: Writer): Promise<EmulatedPress> {
  const label = "Allow once";
  for (;;) {
    const found = emulator.messages(at.chatId, at.threadId).findLast(({ choices = [] }) => choices.includes(label));
    if (found) return { ...at, messageId: found.id, label };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until the last message of a thread is the bot's, with that text. */
async function said({ emulator }: EmulatedPlatform, at: Writer, text: string): Promise<void> {
  while (emulator.messages(at.chatId, at.threadId).at(-1)?.text !== text) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** How long it takes by the store's calls alone. */
async function inStore({ host: { store, holder } }: ScratchHost, index: number): Promise<number> {
  const { turnId, approvalId } = await waitingTurn(store, index, "bare");
  const by = { name: "Ada", author: "terminal" } as const;
  return timed(async () => {
    await store.approvals.decide({ id: approvalId, decision: { kind: "once" }, by, surface: "terminal" });
    const granted = await store.turns.resumeTurn({ turnId, holder, leaseMs: 60_000 });
    if (!granted.ok) throw new Error(`a turn does not go on: ${granted.reason}`);
    await store.turns.beginCall(turnId, granted.fence, { id: "1.1", repeats: false });
  });
}
