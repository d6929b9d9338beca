import type { SessionId } from "@hermes/core/embed";
import { createModelServer, type ModelServer } from "@hermes/testing";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, transcript } from "../support/journey.ts";
import { machineWith } from "../support/model.ts";
import { openPlace, PLACES, type Place, type SaidThere } from "../support/places.ts";
import { answerWithWords } from "./saga-machine.ts";
import { arrivedAt, type Kind, landingAt, type Seen, seenAt } from "./tally.ts";

const TERMINAL = "terminal";

/** A session goes from one place to another one. */
export interface Pair {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

/** Every ordered pair of places, each beginning where the one before it ends. */
export const PAIRS: readonly Pair[] = tourOf([TERMINAL, ...PLACES]).map(([from, to]) => ({
  from,
  to,
  name: `from ${from} to ${to}`,
}));

/** An Euler circuit through all ordered pairs, by Hierholzer: a trail that goes where it can, and takes in what is left. */
function tourOf(places: readonly string[]): (readonly [from: string, to: string])[] {
  const left = new Map(places.map((from) => [from, places.filter((to) => to !== from)]));
  const stack = places.slice(0, 1);
  const circuit: string[] = [];
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    const next = left.get(at)?.pop();
    if (next === undefined) circuit.push(...stack.splice(-1));
    else stack.push(next);
  }
  const way = circuit.reverse();
  return way.slice(1).map((to, at) => [way[at] ?? to, to] as const);
}

export interface PairResult {
  readonly verdict: string;
  readonly why: string;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * One machine with every platform and one gateway, through which one session walks. All its processes are the real
 * ones.
 */
export class PairMachine implements AsyncDisposable {
  readonly #places: ReadonlyMap<string, Place>;
  readonly #model: ModelServer;
  readonly #machine: HermesMachine;
  #at = TERMINAL;
  /** Where the session stands on a platform. */
  #landing: SaidThere | undefined;
  #session: SessionId | null = null;
  readonly #words: string[] = [];
  #count = 0;

  private constructor(places: readonly Place[], model: ModelServer) {
    this.#places = new Map(places.map((place) => [place.name, place]));
    this.#model = model;
    this.#machine = machineWith(model, { plugins: places.map(({ plugin }) => plugin) });
    for (const place of places) place.attach(this.#machine);
  }

  static async begin(): Promise<PairMachine> {
    const model = await createModelServer([], { otherwise: answerWithWords, remembers: 1 });
    const places = await Promise.all(PLACES.map((name) => openPlace(name)));
    const begun = new PairMachine(places, model);
    await begun.#machine.startGateway();
    const { gateways } = await begun.#machine.store();
    await begun.#machine.until(async () => {
      const [gateway] = await gateways.alive();
      return gateway?.platforms.every(({ health, home }) => health.state === "up" && home !== null) ?? false;
    }, "every platform");
    return begun;
  }

  /** Takes the session from one place to the other, and says what came where. */
  async walk({ from, to }: Pair): Promise<PairResult> {
    const n = ++this.#count;
    const session = this.#session ?? (await this.#beginSession(n));
    if (this.#at !== from) {
      await this.#go(from, session);
      // The place that was left is told after the handoff is over; that belongs to no pair.
      await this.#quiet();
    }
    const before = await this.#go(to, session);
    const word = await this.#speak(to, session, n);
    await this.#quiet();
    return this.#judge({ from, to, before, word, session });
  }

  async #beginSession(n: number): Promise<SessionId> {
    this.#words.splice(0);
    this.#words.push(`begin${n}x`);
    this.#session = await begin(this.#machine, `begin${n}x`);
    this.#at = TERMINAL;
    return this.#session;
  }

  #place(name: string): Place {
    const place = this.#places.get(name);
    if (place === undefined) throw new Error(`there is no ${name}`);
    return place;
  }

  #seenAt(seen: ReadonlyMap<string, Seen>, name: string): Seen {
    return seen.get(name) ?? { messages: new Set(), threads: new Set() };
  }

  async #seen(): Promise<ReadonlyMap<string, Seen>> {
    const all = [...this.#places.values()].map(async (place) => [place.name, await seenAt(place)] as const);
    return new Map(await Promise.all(all));
  }

  /** Hands the session off where it is, as its operator does there. Returns what stood everywhere before. */
  async #go(to: string, session: SessionId): Promise<ReadonlyMap<string, Seen>> {
    const before = await this.#seen();
    const { handoffs } = await this.#machine.store();
    const former = (await handoffs.latestOf(session))?.id;
    if (this.#at === TERMINAL) await this.#machine.json<HandoffDocument>("handoff", to, "--session", session, "--yes");
    else await this.#place(this.#at).write(`${this.#place(this.#at).prefix}handoff ${to}`, this.#landing);
    await this.#machine.until(async () => {
      const latest = await handoffs.latestOf(session);
      if (latest?.state === "failed") throw new Error(`the handoff failed: ${JSON.stringify(latest.error)}`);
      return latest?.id !== former && latest?.state === "completed";
    }, `the end of the handoff to ${to}`);
    this.#at = to;
    this.#landing = this.#places.has(to) ? await landingAt(this.#place(to), this.#seenAt(before, to)) : undefined;
    return before;
  }

  /** Says a word where the session is; the answer knows all words before. */
  async #speak(to: string, session: SessionId, n: number): Promise<string> {
    const word = to === TERMINAL ? `back${n}x` : `there${n}x`;
    this.#words.push(word);
    if (to === TERMINAL) {
      await this.#machine.json("chat", "-q", word, "--session", session);
      return word;
    }
    const place = this.#place(to);
    await place.write(word, this.#landing);
    await this.#machine.until(
      async () => (await place.messages()).some(({ text }) => text.includes(`Heard ${word}, knowing`)),
      `the answer to ${word}`,
    );
    return word;
  }

  async #quiet(): Promise<void> {
    const { inbox, outbox } = await this.#machine.store();
    await this.#machine.until(async () => {
      const lanes = await Promise.all(
        PLACES.flatMap((name) => [inbox.openLanes(name, undefined), outbox.openLanes(name, undefined)]),
      );
      return lanes.flat().length === 0;
    }, "the end of what is to be answered and sent");
  }

  async #judge(of: {
    readonly from: string;
    readonly to: string;
    readonly before: ReadonlyMap<string, Seen>;
    readonly word: string;
    readonly session: SessionId;
  }): Promise<PairResult> {
    const { from, to, before, word, session } = of;
    const wrong: string[] = [];
    const total: Record<string, number> = {};
    for (const place of this.#places.values()) {
      const { counts, threads, shown } = await arrivedAt(place, this.#seenAt(before, place.name));
      const expected = expectedAt(place, from, to);
      const found: Partial<Record<Kind | "thread", number>> = { ...counts, thread: threads };
      for (const kind of new Set([...Object.keys(expected), ...Object.keys(found)]) as Set<Kind | "thread">) {
        if (isMirrored(place, kind)) continue;
        const [is, should] = [found[kind] ?? 0, expected[kind] ?? 0];
        if (is !== should) wrong.push(`${place.name}: ${is} ${kind} instead of ${should}\n${shown}`);
        total[kind] = (total[kind] ?? 0) + is;
      }
    }
    const rows = await transcript(this.#machine, session);
    const asked = rows.filter(({ role, internal }) => role === "user" && !internal).map(({ text }) => text);
    const isAsked = this.#words.every((one, at) => asked[at]?.endsWith(one)) && asked.length === this.#words.length;
    const knows = rows.some(
      ({ role, text }) => role === "assistant" && text === `Heard ${word}, knowing ${this.#words.join(" ")}.`,
    );
    if (!isAsked || !knows)
      wrong.push(`the transcript: ${rows.map(({ role, text }) => `${role}: ${text}`).join("\n")}`);
    return { verdict: wrong.length === 0 ? "once" : "wrong", why: wrong.join("\n"), counts: total };
  }

  /** Another session takes the place of one that has gone astray. */
  forget(): void {
    this.#session = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#machine[Symbol.asyncDispose]();
    await Promise.all([...this.#places.values()].map((place) => place[Symbol.asyncDispose]()));
    await this.#model.close();
  }
}

/** What comes to a place when a session goes from one to another. */
function expectedAt(place: Place, from: string, to: string): Partial<Record<Kind | "thread", number>> {
  if (place.name === to) {
    const thread = place.hasThreads ? 1 : 0;
    return { notice: 1, card: 1, answer: 1, reply: 1, thread, root: ["slack", "matrix"].includes(place.name) ? 1 : 0 };
  }
  if (place.name !== from) return {};
  // To the terminal the answer to the command is that line.
  return to === TERMINAL ? { left: 1 } : { left: 1, accepted: 1 };
}

/** The page shows, in each of its threads, what is said elsewhere in the session, and above them what was said before. */
function isMirrored({ name }: Place, kind: Kind | "thread"): boolean {
  return name === "web" && ["reply", "answer", "back", "earlier", "beginning"].includes(kind);
}
