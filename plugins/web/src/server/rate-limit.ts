import type { Clock } from "@hermes/core";
import { Refusal } from "./refusal.ts";

const WINDOW_MS = 60_000;

/** A rate limit for each key, over a sliding minute. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #times = new Map<string, number[]>();

  constructor(clock: Clock, perMinute: number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Counts one use; throws TOO_MANY, with the time until the next, if none is left. */
  take(key: string): void {
    const now = this.#clock.now();
    this.#forget(now);
    const times = this.#times.get(key) ?? [];
    const oldest = times[0];
    if (oldest !== undefined && times.length >= this.#perMinute) {
      throw new Refusal("TOO_MANY", Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000)));
    }
    times.push(now);
    this.#times.set(key, times);
  }

  #forget(now: number): void {
    for (const [key, times] of this.#times) {
      const recent = times.filter((time) => time > now - WINDOW_MS);
      if (recent.length > 0) this.#times.set(key, recent);
      else this.#times.delete(key);
    }
  }
}
