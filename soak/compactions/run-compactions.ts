import { PLACES } from "../../e2e/support/places.ts";
import { Draw } from "../plan/draw.ts";
import { LongSession, TERMINAL } from "./long-session.ts";
import { PLANTED } from "./planted.ts";
import { type Cause, type CompactionResult, NOTHING_YET, type PlaceCounts, type PlaceRow, sum } from "./result.ts";

export interface CompactionOptions {
  /** How many compactions the session lives through. */
  readonly compactions: number;
  readonly seed: number;
}

/** Messages behind a compaction until it is asked for by hand. */
const MESSAGES_BEFORE = 6;

/** The most messages that one compaction may take; with more of them, none comes. */
const MOST_MESSAGES = 60;

/** How a compaction comes about, and when the process that runs it is killed. */
const CAUSES = { "by itself": 6, "by /compact": 2, "after a refusal": 2 } as const;
const KILLS = { never: 2, "when its summary is asked for": 1, "when it is stored": 1 } as const;

/** About so many compactions there are at each stop. */
const AT_A_STOP = 5;

/** Lives through one session, and judges each request to its model by what has to be known. */
export async function runCompactions(
  { compactions, seed }: CompactionOptions,
  progress: (text: string) => void,
): Promise<CompactionResult> {
  const draw = new Draw(seed);
  const startedAt = Date.now();
  const stops = stopsOf(draw, compactions);
  await using session = await LongSession.begin(
    draw,
    [...new Set(stops)].filter((name) => name !== TERMINAL),
  );
  const life = new Life(session, draw);
  await session.begunWithDenial("rm -r ledger", `No, ${PLANTED.denial[1]}`);
  session.model.plant("denial");
  for (const what of ["fact", "open question"] as const) {
    await session.say(PLANTED[what].join(" "));
    session.model.plant(what);
  }
  for (const [at, stop] of stops.entries()) {
    if (at === 1) await session.leaveOpen("rm -r charts");
    if (at > 0) await session.goTo(stop);
    if (at === 1) {
      // The question has moved with the session, and is answered by words to another process than the one that took it
      // over.
      await session.kill();
      await session.refuse(`No, ${PLANTED["later denial"][1]}`);
      session.model.plant("later denial");
      await session.say(PLANTED["later fact"].join(" "));
      session.model.plant("later fact");
    }
    const end = Math.round((compactions * (at + 1)) / stops.length);
    while (life.compactions < end) await life.next();
    life.leave(stop);
    progress(`${life.compactions} of ${compactions} compactions, ${session.said.length} messages, until now ${stop}`);
  }
  return { seed, startedAt, ...(await life.judged()) };
}

/** The terminal and platforms by turns: it begins and ends in the terminal. */
function stopsOf(draw: Draw, compactions: number): string[] {
  const platforms = [...PLACES];
  const pairs = Math.max(1, Math.floor(compactions / AT_A_STOP / 2));
  const stops = [TERMINAL];
  for (let pair = 0; pair < pairs; pair++) {
    if (platforms.length === 0) platforms.push(...PLACES);
    const [platform] = platforms.splice(draw.between(0, platforms.length - 1), 1);
    stops.push(platform ?? "web", TERMINAL);
  }
  return stops;
}

/** A session as it goes on, and what was counted at each place. */
class Life {
  readonly #session: LongSession;
  readonly #draw: Draw;
  readonly #causes: Cause[] = [];
  readonly #rows: PlaceRow[] = [];
  #left = NOTHING_YET;

  constructor(session: LongSession, draw: Draw) {
    this.#session = session;
    this.#draw = draw;
  }

  get compactions(): number {
    return this.#causes.length;
  }

  /** Talks until there is one more. */
  async next(): Promise<void> {
    const { model } = this.#session;
    const wanted = this.#draw.weighted(CAUSES);
    this.#arm(this.#draw.weighted(KILLS));
    model.shrink(wanted === "after a refusal");
    const refusals = model.refusals;
    const before = this.compactions;
    for (let messages = 0; this.compactions === before; messages++) {
      if (messages === MOST_MESSAGES) throw new Error(`no compaction came in ${messages} messages`);
      if (wanted === "by /compact" && messages >= MESSAGES_BEFORE) {
        await this.#session.compact("what must not be forgotten");
      }
      await this.#session.say();
      await this.#count(refusals);
    }
    model.events = {};
    model.shrink(false);
  }

  #arm(kill: keyof typeof KILLS): void {
    const { model } = this.#session;
    const strike = () => {
      model.events = {};
      void this.#session.kill();
    };
    if (kill === "when its summary is asked for") model.events = { summaryAsked: strike };
    if (kill === "when it is stored") model.events = { askedBehindSummary: strike };
  }

  /** Takes in the compactions that came since. */
  async #count(refusals: number): Promise<void> {
    const { compactions, turns } = await this.#session.store();
    const found = (await compactions.list(this.#session.id, 1_000)).reverse().slice(this.#causes.length);
    for (const { turnId } of found) {
      const cause = (await turns.get(turnId))?.cause.kind;
      const isRefused = this.#session.model.refusals > refusals;
      this.#causes.push(cause === "compact" ? "by /compact" : isRefused ? "after a refusal" : "by itself");
    }
  }

  /** Closes the row of a place. */
  leave(place: string): void {
    const now = this.#now();
    this.#rows.push({ place, ...sum(now, this.#left, -1) });
    this.#left = now;
  }

  #now(): PlaceCounts {
    const { model, said, kills } = this.#session;
    const causes = (wanted: Cause) => this.#causes.filter((cause) => cause === wanted).length;
    const fates = (wanted: string) => said.filter(({ fate }) => fate === wanted).length;
    return {
      ...{ messages: said.length, answered: fates("answered"), asked: fates("killed") + fates("told"), kills },
      ...{ itself: causes("by itself"), hand: causes("by /compact"), refusal: causes("after a refusal") },
      ...{ requests: model.judged, forgotten: model.missing.length },
    };
  }

  /** What the transcript and the places show at the end. */
  async judged(): Promise<Omit<CompactionResult, "seed" | "startedAt">> {
    const session = this.#session;
    const { transcripts, compactions } = await session.store();
    const rows = await transcripts.read(session.id);
    const faults = session.model.missing.map((what) => `forgotten: ${what}`);
    for (const { token, place, fate } of session.said) {
      const asked = rows.filter(({ role, text }) => role === "user" && text.endsWith(token)).length;
      const answered = rows.filter(
        ({ role, text }) => role === "assistant" && text.startsWith(`Heard ${token}.`),
      ).length;
      const shown = place === TERMINAL ? null : session.shown(token, place);
      const wrong = (count: number | null) => fate === "answered" && count !== null && count !== 1;
      if (asked !== 1 || wrong(answered) || wrong(shown) || answered > 1) {
        faults.push(`${token} (${fate}, ${place}) was asked ${asked}, answered ${answered} and shown ${shown} times`);
      }
    }
    const made = await compactions.list(session.id, 1_000);
    const mean = (numbers: readonly number[]) =>
      Math.round(numbers.reduce((all, one) => all + one, 0) / numbers.length);
    return {
      rows: this.#rows,
      transcript: rows.length,
      tokensBefore: mean(made.map(({ tokensBefore }) => tokensBefore)),
      tokensAfter: mean(made.map(({ tokensAfter }) => tokensAfter)),
      summaries: session.model.summaries,
      faults,
      passed: faults.length === 0,
    };
  }
}
