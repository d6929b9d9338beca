import type { Clock } from "@hermes/core";
import type { FailureScript } from "@hermes/emulator";
import { terminatedByOtherPoll } from "./refusal.ts";
import type { WireUpdate } from "./wire.ts";

export interface PollRequest {
  /** The first update wanted; all before it are confirmed by this. */
  readonly offset: number | undefined;
  readonly limit: number;
  readonly timeoutMs: number;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

interface Queued {
  readonly update: WireUpdate;
  /** How often it is still given out although it was confirmed. */
  repeats: number;
}

/**
 * The updates that the bot has not confirmed ("Getting updates"): kept until `getUpdates` is called with an offset
 * behind them. One poll at a time; a new one ends the one that waits.
 */
export class UpdateQueue {
  readonly #script: FailureScript;
  readonly #clock: Clock;
  #queued: Queued[] = [];
  /** Events that come after the one behind them. */
  #held: Omit<WireUpdate, "update_id">[] = [];
  #nextId = 1;
  /** The kinds of update that the bot asked for last ("getUpdates"); others are thrown away. Null for all. */
  allowed: readonly string[] | null = null;
  #waiting: { end(error?: Error): void } | null = null;

  constructor(script: FailureScript, clock: Clock) {
    this.#script = script;
    this.#clock = clock;
  }

  /** Whether a poll waits for updates now. */
  get isPolled(): boolean {
    return this.#waiting !== null;
  }

  push(event: Omit<WireUpdate, "update_id">): void {
    if (this.allowed !== null && !Object.keys(event).every((kind) => this.allowed?.includes(kind))) return;
    const failure = this.#script.take("deliver");
    if (failure?.is === "out-of-order") {
      this.#held.push(event);
      return;
    }
    this.#append(event, failure?.is === "redeliver" ? 1 : 0);
    for (const late of this.#held.splice(0)) this.#append(late, 0);
    this.#waiting?.end();
  }

  #append(event: Omit<WireUpdate, "update_id">, repeats: number): void {
    this.#queued.push({ update: { update_id: this.#nextId++, ...event }, repeats });
  }

  /** Resolves with the updates that wait, or with none when the time is up. Rejects with a Refusal. */
  async poll({ offset, limit, timeoutMs, signal }: PollRequest): Promise<readonly WireUpdate[]> {
    this.#waiting?.end(terminatedByOtherPoll());
    if (offset !== undefined) this.#confirm(offset);
    if (this.#queued.length === 0 && timeoutMs > 0) await this.#untilPushed(timeoutMs, signal);
    return this.#queued.slice(0, limit).map(({ update }) => update);
  }

  #confirm(offset: number): void {
    this.#queued = this.#queued.filter((queued) => queued.update.update_id >= offset || queued.repeats-- > 0);
  }

  #untilPushed(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimer(timeoutMs, () => waiting.end());
      const gone = () => waiting.end();
      const waiting = {
        end: (error?: Error) => {
          timer[Symbol.dispose]();
          signal.removeEventListener("abort", gone);
          if (this.#waiting === waiting) this.#waiting = null;
          if (error) reject(error);
          else resolve();
        },
      };
      this.#waiting = waiting;
      signal.addEventListener("abort", gone, { once: true });
    });
  }
}
