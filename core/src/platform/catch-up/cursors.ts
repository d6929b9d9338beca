import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { replaceFile } from "../../base/replace-file.ts";
import type { CatchUpParts } from "./catch-up.ts";
import type { MessageHistory } from "./message-history.ts";

/** How many places are remembered: those with the latest messages. */
const MOST_PLACES = 1_000;

/** How long a change may wait to be written, in milliseconds. What a crash loses is fetched again, and known by its id. */
const WRITE_AFTER_MS = 500;

interface Kept {
  readonly owner: string;
  readonly horizon: string;
  readonly places: readonly (readonly [place: string, id: string])[];
}

/** Up to which message each place has been taken in, in the file `cursors.json` of the plugin's folder. */
export class Cursors {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #order: Pick<MessageHistory, "isAfter" | "before">;
  /** The place that was heard of last stands last. */
  readonly #last = new RecentMap<string, string>(MOST_PLACES);
  #owner: string | null = null;
  /** Up to where nothing was missed at places that are not remembered; null before anything was ever received. */
  #horizon: string | null = null;
  #timer: Disposable | null = null;

  constructor({ folder, clock, logger, history }: Pick<CatchUpParts, "folder" | "clock" | "logger" | "history">) {
    this.#file = join(folder, "cursors.json");
    this.#clock = clock;
    this.#logger = logger;
    this.#order = history;
    if (existsSync(this.#file)) this.#load(readFileSync(this.#file, "utf8"));
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
    }
    this.#owner = owner;
  }

  has(place: string): boolean {
    return this.#last.has(place);
  }

  upTo(place: string): string {
    return this.#last.get(place) ?? this.#horizon ?? "";
  }

  /**
   * A message is there, and not taken in yet. A place that is new is written down at once: a process that is killed
   * before it does would not know that there is something to fetch.
   */
  heard(place: string, id: string): void {
    if (this.#last.has(place)) return;
    const before = this.#order.before(id);
    this.advance(place, this.#horizon !== null && this.#order.isAfter(before, this.#horizon) ? this.#horizon : before);
    this.flush();
  }

  /** What comes at a place from `after` on is wanted, unless more is known already. */
  follow(place: string, after: string | null = this.#horizon): void {
    if (!this.#last.has(place) && after !== null) this.advance(place, after);
  }

  /** Everything at the place up to `id` has been taken in. */
  advance(place: string, id: string): void {
    const last = this.#last.get(place);
    this.#last.set(place, last !== undefined && this.#order.isAfter(last, id) ? last : id);
    this.#writeSoon();
  }

  /** Everything up to `id` was heard, wherever it was written. */
  raise(id: string): void {
    if (this.#horizon !== null && !this.#order.isAfter(id, this.#horizon)) return;
    this.#horizon = id;
    this.#writeSoon();
  }

  forget(place: string): void {
    this.#last.delete(place);
    this.#writeSoon();
  }

  /** Writes what has changed. A disk that is full keeps no message from being taken: it is written later. */
  flush(): void {
    if (this.#timer === null || this.#horizon === null) return;
    this.#timer[Symbol.dispose]();
    this.#timer = null;
    const kept: Kept = { owner: this.#owner ?? "", horizon: this.#horizon, places: [...this.#last] };
    try {
      replaceFile(this.#file, JSON.stringify(kept));
    } catch (error) {
      this.#logger.warn({ reason: reasonOf(error) }, "how far messages were taken in could not be written down");
      this.#writeSoon();
    }
  }

  #writeSoon(): void {
    this.#timer ??= this.#clock.setTimer(WRITE_AFTER_MS, () => this.flush());
  }

  #load(text: string): void {
    try {
      const kept = JSON.parse(text) as Kept | Kept["places"];
      const places = "places" in kept ? kept.places : kept;
      for (const [place, id] of places) this.#last.set(place, id);
      if ("places" in kept) {
        this.#owner = kept.owner;
        this.#horizon = kept.horizon;
      } else {
        // As an earlier version wrote it.
        for (const [, id] of places) this.raise(id);
      }
    } catch {
      // Nothing is lost but what was written while Hermes was away.
      this.#last.clear();
      this.#horizon = null;
    }
  }
}
