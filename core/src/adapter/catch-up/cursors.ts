import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/errors.ts";
import { KeptJson } from "../../base/kept-json.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import type { CatchUpParts } from "./catch-up.ts";
import type { MessageHistory } from "./message-history.ts";

/** How many places are remembered: those with the latest messages. */
const MOST_PLACES = 1_000;

/** How long a change may wait to be written, in milliseconds. What a crash loses is fetched again, and known by its id. */
const WRITE_AFTER_MS = 500;

/** How many messages of a place are remembered one by one, at least; twice as many are cut to as many, all in one go. */
const MOST_SEEN = 500;

interface Kept {
  readonly owner: string | null;
  readonly horizon: string | null;
  /** A place, up to where it is taken in, and what was taken in behind that. */
  readonly places: readonly (readonly [place: string, upTo: string, ...seen: string[]])[];
  /** One more with each process that takes over. */
  readonly term: number;
}

const NONE: Kept = { owner: null, horizon: null, places: [], term: 0 };

/** Everything up to `upTo` has been taken in, and the messages of `seen`, with the time at which each was. */
interface Cursor {
  upTo: string;
  readonly seen: Map<string, number>;
}

/**
 * Up to which message each place has been taken in, in the file `cursors.json` of the plugin's folder. A message may be
 * overtaken by a later one on its way here, so a cursor moves past a message only by {@link settle}, some time later.
 */
export class Cursors {
  readonly #file: KeptJson<Kept>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #order: Pick<MessageHistory, "isAfter" | "before">;
  /** The place that was heard of last stands last. */
  readonly #last = new RecentMap<string, Cursor>(MOST_PLACES);
  #owner: string | null = null;
  /** Up to where nothing was missed at places that are not remembered; null before anything was ever received. */
  #horizon: string | null = null;
  /** To where {@link settle} raises the horizon, and since when. */
  #nextHorizon: { readonly id: string; readonly at: number } | null = null;
  #timer: Disposable | null = null;
  #term = 1;
  #isClosed = false;

  constructor({ folder, clock, logger, history }: Pick<CatchUpParts, "folder" | "clock" | "logger" | "history">) {
    // Lost with a file that cannot be read is only what was written while Hermes was away.
    this.#file = new KeptJson(join(folder, "cursors.json"), {
      empty: NONE,
      // An earlier version kept the places alone.
      parse: (kept) => (Array.isArray(kept) ? { ...NONE, places: kept } : { ...NONE, ...(kept as Kept) }),
    });
    this.#clock = clock;
    this.#logger = logger;
    this.#order = history;
    this.#load();
  }

  get horizon(): string | null {
    return this.#horizon;
  }

  /** The place that was heard of last first. */
  get places(): string[] {
    return [...this.#last.keys()].reverse();
  }

  /** Forgets everything when it is another account's: that one has a history of its own. */
  belongTo(owner: string): void {
    if (this.#owner !== null && this.#owner !== owner) {
      this.#last.clear();
      this.#horizon = null;
      this.#nextHorizon = null;
    }
    this.#owner = owner;
  }

  upTo(place: string): string {
    return this.#last.get(place)?.upTo ?? this.#horizon ?? "";
  }

  /** Whether a message was taken in, though it is not among those up to which everything was. */
  hasSeen(place: string, id: string): boolean {
    return this.#last.get(place)?.seen.has(id) ?? false;
  }

  /** A message is there, and not taken in yet. */
  heard(place: string, id: string): void {
    if (this.#last.has(place)) return;
    const before = this.#order.before(id);
    this.#begin(place, this.#horizon !== null && this.#order.isAfter(before, this.#horizon) ? this.#horizon : before);
  }

  /** What comes at a place from `after` on is wanted, unless more is known already. */
  follow(place: string, after: string | null = this.#horizon): void {
    if (!this.#last.has(place) && after !== null) this.#begin(place, after);
  }

  /** A message has been taken in; one that was written before it may still come. */
  advance(place: string, id: string): void {
    const cursor = this.#last.get(place) ?? { upTo: this.#horizon ?? this.#order.before(id), seen: new Map() };
    if (this.#order.isAfter(id, cursor.upTo)) cursor.seen.set(id, this.#clock.now());
    if (cursor.seen.size >= 2 * MOST_SEEN) this.#moveUp(cursor, [...cursor.seen.keys()].at(-MOST_SEEN - 1) ?? id);
    this.#last.set(place, cursor);
    this.#writeSoon();
  }

  /** Everything up to `id` was heard, wherever it was written. */
  raise(id: string): void {
    if (this.#horizon === null) this.#setHorizon(id);
    else this.#nextHorizon ??= { id, at: this.#clock.now() };
  }

  /** What was taken in before `before` can no longer be overtaken, at places that are `whole`. */
  settle(before: number, isWhole: (place: string) => boolean): void {
    for (const [place, cursor] of this.#last) {
      const old = [...cursor.seen].filter(([, at]) => at <= before).map(([id]) => id);
      const last = old.reduce((a, b) => (this.#order.isAfter(b, a) ? b : a), cursor.upTo);
      if (old.length > 0 && isWhole(place)) this.#moveUp(cursor, last);
    }
    if (this.#nextHorizon === null || this.#nextHorizon.at > before) return;
    const { id } = this.#nextHorizon;
    this.#nextHorizon = null;
    if (this.#horizon === null || this.#order.isAfter(id, this.#horizon)) this.#setHorizon(id);
  }

  forget(place: string): void {
    this.#last.delete(place);
    this.#writeSoon();
  }

  /** Writes what has changed. A disk that is full keeps no message from being taken: it is written later. */
  flush(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    if (this.#horizon === null || this.#isClosed) return;
    const kept: Kept = {
      owner: this.#owner ?? "",
      horizon: this.#horizon,
      places: this.#written(),
      term: this.#term,
    };
    try {
      // What stood still for so long that another process took over does not write over what that one knows.
      if (this.#file.read().term > this.#term) return;
      this.#file.write(kept);
    } catch (error) {
      this.#logger.warn({ reason: reasonOf(error) }, "how far messages were taken in could not be written down");
      this.#writeSoon();
    }
  }

  /** Writes what has changed, for the last time. */
  close(): void {
    this.flush();
    this.#isClosed = true;
    this.#timer?.[Symbol.dispose]();
  }

  #written(): Kept["places"] {
    return [...this.#last].map(([place, { upTo, seen }]) => [place, upTo, ...seen.keys()]);
  }

  /** Written down at once: a process that is killed before would not know that there is something to fetch. */
  #begin(place: string, upTo: string): void {
    this.#last.set(place, { upTo, seen: new Map() });
    this.flush();
  }

  #setHorizon(id: string): void {
    this.#horizon = id;
    this.#writeSoon();
  }

  #moveUp(cursor: Cursor, id: string): void {
    if (this.#order.isAfter(id, cursor.upTo)) cursor.upTo = id;
    for (const one of [...cursor.seen.keys()]) if (!this.#order.isAfter(one, cursor.upTo)) cursor.seen.delete(one);
    this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#isClosed) return;
    this.#timer ??= this.#clock.setTimer(WRITE_AFTER_MS, () => this.flush());
  }

  #load(): void {
    const { owner, horizon, places, term } = this.#file.read();
    const now = this.#clock.now();
    for (const [place, upTo, ...seen] of places) {
      this.#last.set(place, { upTo, seen: new Map(seen.map((id) => [id, now])) });
      // As an earlier version wrote it.
      if (horizon === null && (this.#horizon === null || this.#order.isAfter(upTo, this.#horizon)))
        this.#horizon = upTo;
    }
    this.#owner = owner;
    this.#horizon = horizon ?? this.#horizon;
    this.#term = term + 1;
  }
}
