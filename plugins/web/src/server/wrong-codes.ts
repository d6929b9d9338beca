import { randomBytes } from "node:crypto";
import { backOff, type Clock, RecentMap, sleep } from "@hermes/core";
import { Refusal } from "./refusal.ts";

/** How many wrong codes of one browser are answered at once. */
const FREE = 5;

/** The delay of an address' first wrong code beyond those; it doubles with each further one, up to the longest. */
const WAIT = { firstMs: 1_000, lastMs: 10_000 };

/** How long wrong codes count, since the last one, in milliseconds. */
const FORGET_AFTER_MS = 10 * 60_000;

/** The most answers that are delayed at the same time: each holds a connection. */
const MOST_WAITING = 64;

/**
 * Delays the answers to wrong codes. Codes are checked before that, so that no number of wrong ones keeps out the
 * owner, who may share browser and address with the attacker. Behind a proxy everybody has one address, so a browser is
 * identified by an id that it gets with its first wrong code.
 */
export class WrongCodes {
  readonly #clock: Clock;
  readonly #tries = new RecentMap<string, { readonly count: number; readonly at: number }>(2_000);
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Creates an id for a browser that has none. Ids that browsers make up themselves are ignored. */
  newBrowser(): string {
    const id = randomBytes(16).toString("base64url");
    this.#tries.set(`browser ${id}`, { count: 0, at: this.#clock.now() });
    return id;
  }

  /**
   * Counts a wrong code, and resolves when it may be answered. Throws TOO_MANY instead if too many are waiting. All
   * browsers without an id at one address count as one.
   */
  async slowDown(browser: string | undefined, address: string, signal: AbortSignal): Promise<void> {
    const known = browser !== undefined && this.#tries.has(`browser ${browser}`);
    if (this.#count(known ? `browser ${browser}` : `strangers at ${address}`) <= FREE) return;
    const beyond = this.#count(`address ${address}`) - 1;
    const waitMs = backOff(beyond + 1, WAIT);
    if (this.#waiting >= MOST_WAITING) throw new Refusal("TOO_MANY", Math.ceil(waitMs / 1000));
    this.#waiting++;
    await sleep(this.#clock, waitMs, signal).finally(() => this.#waiting--);
  }

  #count(key: string): number {
    const now = this.#clock.now();
    const before = this.#tries.get(key);
    const count = before === undefined || now - before.at > FORGET_AFTER_MS ? 1 : before.count + 1;
    this.#tries.set(key, { count, at: now });
    return count;
  }
}
