import { type Clock, sleep } from "../base/clock.ts";
import { RecentMap } from "../base/recent-map.ts";
import type { ReceiveRound } from "./receive-loop.ts";

/** How often a history is looked at of itself. */
export interface HintsParts {
  readonly clock: Clock;
  /** How often the history is looked at, in milliseconds, while hints come. */
  readonly everyMs: number;
  /** The same while none come. */
  readonly deafEveryMs: number;
}

/** What a poll is to look at. */
export interface Hinted<T> {
  /** What was hinted at since the last poll that succeeded, by its id. */
  readonly asked: ReadonlyMap<string, T>;
  /** Whether it is time to look at all that is recent, too. */
  readonly isDue: boolean;
  /** Whether hints may have been missed: at the start, after a failure, when somebody said so, and now and then. */
  readonly mayHaveMissed: boolean;
}

/** A hint may take as long as that, in milliseconds. */
const HINTED_WITHIN_MS = 10_000;

/** How often it is looked as if hints had been missed, in milliseconds: something may have come late and untold. */
const LOOK_FAR_EVERY_MS = 10 * 60_000;

/** So many messages in a row at which no hint came are no accident. */
const MOST_UNHEARD = 2;

const MOST_HEARD = 10_000;

/**
 * For a platform whose events are only hints: not acknowledged, not signed, or not sent again. The messages come out of
 * its history, by polling, and a hint makes the next poll come at once. Each message is read in one way then, however it
 * was heard of and however often, and what no hint came for is found a little later.
 *
 * @example
 * ```ts
 * const hints = new Hints<number>({ clock, everyMs: 20_000, deafEveryMs: 5_000 });
 * onEvent(({ id, at }) => {
 *   hints.heard(id);
 *   hints.ask(id, at);
 * });
 * await keepPolling({
 *   owner: me.id,
 *   poll: async (after, round) => {
 *     const { asked, isDue, mayHaveMissed } = await hints.next(round);
 *     …
 *     for (const { id, sentAt } of messages) hints.found(id, sentAt);
 *   },
 * });
 * ```
 */
export class Hints<T> {
  readonly #parts: HintsParts;
  readonly #heard = new RecentMap<string, true>(MOST_HEARD);
  readonly #ways = new Map<string, boolean>();
  #waiting = new Map<string, T>();
  #asked = new Map<string, T>();
  #mayHaveMissed = false;
  #unheard = 0;
  /** When all that is recent was looked at, and all that may be missed, by the monotonic clock. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lookedFarAt = Number.NEGATIVE_INFINITY;
  #woken = Promise.withResolvers<void>();

  constructor(parts: HintsParts) {
    this.#parts = parts;
  }

  /** Whether no hints come: every way is closed, or messages are found that none came for. */
  get isDeaf(): boolean {
    return this.#unheard >= MOST_UNHEARD || ![...this.#ways.values()].includes(true);
  }

  /** Whether hints can come by a way, such as a socket. Returns whether that is news. */
  way(name: string, isOpen: boolean): boolean {
    const was = this.#ways.get(name) ?? false;
    this.#ways.set(name, isOpen);
    return was !== isOpen;
  }

  /** A hint came for a message. */
  heard(id: string): void {
    this.#heard.set(id, true);
    this.#unheard = 0;
  }

  /** Has the next poll look at something, now. */
  ask(id: string, about: T): void {
    this.#waiting.set(id, about);
    this.#woken.resolve();
  }

  /** Has everything looked at now: hints may have been missed. */
  wake(): void {
    this.#mayHaveMissed = true;
    this.#woken.resolve();
  }

  /** A poll found a new message, which is as old as `at` says, in milliseconds since 1970. */
  found(id: string, at: number): void {
    if (!this.#heard.has(id) && this.#parts.clock.now() - at > HINTED_WITHIN_MS) this.#unheard++;
  }

  /** Resolves when it is time for the next poll: at once in a first round, in which nothing that was asked for is lost. */
  async next({ signal, isFirst }: Pick<ReceiveRound, "signal" | "isFirst">): Promise<Hinted<T>> {
    const { clock, everyMs, deafEveryMs } = this.#parts;
    if (isFirst) this.wake();
    const restMs = () => this.#lookedAt + (this.isDeaf ? deafEveryMs : everyMs) - clock.steady().ms;
    const waited = new AbortController();
    const until = AbortSignal.any([signal, waited.signal]);
    await Promise.race([this.#woken.promise, sleep(clock, Math.max(0, restMs()), until)]);
    waited.abort();
    const now = clock.steady().ms;
    const isDue = this.#mayHaveMissed || restMs() <= 0;
    const mayHaveMissed = this.#mayHaveMissed || (isDue && now - this.#lookedFarAt > LOOK_FAR_EVERY_MS);
    if (isDue) this.#lookedAt = now;
    if (mayHaveMissed) this.#lookedFarAt = now;
    this.#asked = new Map([...(isFirst ? this.#asked : []), ...this.#waiting]);
    this.#waiting = new Map();
    this.#mayHaveMissed = false;
    this.#woken = Promise.withResolvers();
    return { asked: this.#asked, isDue, mayHaveMissed };
  }

  /** Has the poll that is under way look at what was asked for since it began, too. */
  takeMore(): void {
    for (const [id, about] of this.#waiting) this.#asked.set(id, about);
    this.#waiting.clear();
  }
}
