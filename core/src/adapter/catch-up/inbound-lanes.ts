import { backOff } from "../../base/back-off.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { PlatformError, reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { InboundMessage } from "../message.ts";
import { type HistoryEntry, isFinal } from "./message-history.ts";

/** A message that Hermes could not keep is offered again after 1 s, 2 s … and every 30 s, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 30_000 };

/**
 * How often reading a message is tried: a file that the platform does not give holds nobody up for ever. A platform that
 * cannot be reached is waited for.
 */
const MOST_READINGS = 5;

export interface InboundLanesParts {
  /** Resolves when Hermes has kept the message. */
  readonly receive: (message: InboundMessage) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Hands messages over: those of a lane one by one, in the order in which they came; a lane waits for no other. */
export class InboundLanes {
  readonly #parts: InboundLanesParts;
  readonly #lanes = new Map<string, { last: Promise<void>; waiting: number }>();
  readonly #stopped = new AbortController();

  constructor(parts: InboundLanesParts) {
    this.#parts = parts;
  }

  /** Aborts when they are stopped. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** How much waits in a lane, what is worked on among it. */
  waitingIn(lane: string): number {
    return this.#lanes.get(lane)?.waiting ?? 0;
  }

  /** Runs `work` behind what waits in the lane. Resolves when it is done, and never when it is stopped before. */
  run(lane: string, work: () => Promise<void>): Promise<void> {
    const { last, waiting } = this.#lanes.get(lane) ?? { last: Promise.resolve(), waiting: 0 };
    const done = last.then(async () => {
      if (!this.signal.aborted) {
        await work().catch((error: unknown) => {
          this.#parts.logger.error({ lane, reason: reasonOf(error) }, "messages could not be taken in");
        });
      }
      if (this.signal.aborted) await new Promise<never>(() => {});
      const now = this.#lanes.get(lane);
      if (now && --now.waiting === 0) this.#lanes.delete(lane);
    });
    this.#lanes.set(lane, { last: done, waiting: waiting + 1 });
    return done;
  }

  /**
   * Hands one message over, until Hermes has kept it. What cannot even be read is passed over after some attempts.
   * Never resolves when it is stopped before.
   */
  async hand({ place, id, decode }: HistoryEntry): Promise<void> {
    const { receive, clock, logger } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      let isRead = false;
      try {
        const message = await decode();
        isRead = true;
        if (message) await receive(message);
        if (!this.signal.aborted) return;
      } catch (error) {
        const fields = { place, id, reason: reasonOf(error) };
        const mayWork = error instanceof PlatformError && !isFinal(error);
        if (!isRead && !mayWork && attempt >= MOST_READINGS) {
          logger.error(fields, "a message could not be read, and is passed over");
          return;
        }
        const waitMs = backOff(attempt, RETRY);
        if (!this.signal.aborted) logger.warn({ ...fields, waitMs }, "a message was not taken; it is tried again");
        await sleep(clock, waitMs, this.signal);
      }
      if (this.signal.aborted) await new Promise<never>(() => {});
    }
  }

  stop(): void {
    this.#stopped.abort();
  }
}
