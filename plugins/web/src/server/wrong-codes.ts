import { randomBytes } from "node:crypto";
import { backOff, type Clock, RecentMap, sleep } from "@hermes/core";
import { Refusal } from "./refusal.ts";

/** Wrong codes of one browser that are answered at once. */
const FREE = 5;

/** The wait for the first beyond those of an address; each further one waits twice as long, up to the longest. */
const WAIT = { firstMs: 1_000, lastMs: 10_000 };

/** An address that tried no wrong code for so long begins anew. */
const FORGET_AFTER_MS = 10 * 60_000;

/** Answers that are held back at the same time: each holds a connection. */
const MOST_WAITING = 64;

/**
 * Slows down who tries codes, and nobody else: whether a code is right is looked at before any of this, so that no number
 * of wrong ones keeps out the owner, who may share browser and address with whoever tries them. Behind a proxy everybody
 * has one address; a browser is told by an id that it was given with its first wrong code.
 */
export class WrongCodes {
  readonly #clock: Clock;
  readonly #tries = new RecentMap<string, { readonly count: number; readonly at: number }>(2_000);
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new id for a browser that has none. One that it made up itself would count for nothing. */
  newBrowser(): string {
    const id = randomBytes(16).toString("base64url");
    this.#tries.set(`browser ${id}`, { count: 0, at: this.#clock.now() });
    return id;
  }

  /**
   * Notes a wrong code, and resolves when it may be answered. Throws TOO_MANY instead where too many wait already.
   * Browsers without an id count as one for each address.
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
