import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, RecentMap, replaceFile } from "@hermes/core";
import { isAfter } from "./source.ts";

/** How many channels are remembered: those with the latest messages. */
const MOST_CHANNELS = 500;

/** How long a change may wait to be written, in milliseconds. What a crash loses is fetched again, and known by its id. */
const WRITE_AFTER_MS = 500;

/**
 * Up to which message each channel has been taken in. Discord keeps nothing for a bot that is away: what was written
 * meanwhile is fetched from here on.
 */
export class Cursors {
  readonly #file: string;
  readonly #clock: Clock;
  /** The channel that was heard of last stands last. */
  readonly #last = new RecentMap<string, string>(MOST_CHANNELS);
  #timer: Disposable | null = null;

  constructor(folder: string, clock: Clock) {
    this.#file = join(folder, "cursors.json");
    this.#clock = clock;
    if (existsSync(this.#file)) this.#load(readFileSync(this.#file, "utf8"));
  }

  get(channelId: string): string | null {
    return this.#last.get(channelId) ?? null;
  }

  channels(): string[] {
    return [...this.#last.keys()].reverse();
  }

  /** Everything up to `messageId` has been taken in. */
  advance(channelId: string, messageId: string): void {
    const last = this.#last.get(channelId);
    this.#last.set(channelId, last !== undefined && isAfter(last, messageId) ? last : messageId);
    this.#timer ??= this.#clock.setTimer(WRITE_AFTER_MS, () => this.flush());
  }

  /**
   * A message is there, and not taken in yet. A channel that is new is written down at once: a process that is killed
   * before it does would not know that there is something to fetch.
   */
  heard(channelId: string, messageId: string): void {
    if (this.#last.has(channelId)) return;
    this.advance(channelId, String(BigInt(messageId) - 1n));
    this.flush();
  }

  /** A channel where Hermes speaks: what comes behind `id` is wanted, unless more is known already. */
  follow(channelId: string, id: string): void {
    if (!this.#last.has(channelId)) this.advance(channelId, id);
  }

  forget(channelId: string): void {
    this.#last.delete(channelId);
  }

  /** Writes what has changed. */
  flush(): void {
    if (this.#timer === null) return;
    this.#timer[Symbol.dispose]();
    this.#timer = null;
    replaceFile(this.#file, JSON.stringify([...this.#last]));
  }

  #load(text: string): void {
    try {
      for (const [channelId, messageId] of JSON.parse(text) as [string, string][]) this.#last.set(channelId, messageId);
    } catch {
      // Nothing is lost but what was written while Hermes was away.
      this.#last.clear();
    }
  }
}
