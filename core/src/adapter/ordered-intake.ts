import { type BackOff, backOff } from "../base/back-off.ts";
import { type Clock, sleep } from "../base/clock.ts";
import { reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { InboundMessage } from "./message.ts";
import { mayBeReadLater } from "./platform-errors.ts";

/** A message that Hermes could not keep is offered again after 1 s, 2 s … and every 30 s, in milliseconds. */
const RETRY: BackOff = { firstMs: 1_000, lastMs: 30_000 };

/**
 * The most attempts to read a message, so that one that nobody can read does not block its lane for ever. What may be read
 * later, once the platform, the store or the disk is there again, is retried without limit.
 */
const MOST_READINGS = 5;

/** The most messages that wait in memory before {@link OrderedIntake.room} holds its caller back. */
const MOST_WAITING = 1_000;

/** A message on its way to Hermes, or what else a platform tells in its order, such as a press. */
export interface IntakeEntry<T = InboundMessage> {
  /** What names it in the log: `id` within `place`. */
  readonly place: string;
  readonly id: string;
  /** Reads it; null when it is none for Hermes. May throw, and is asked again then. */
  readonly decode: () => Promise<T | null>;
}

export interface OrderedIntakeParts<T = InboundMessage> {
  /** Resolves when Hermes has kept the message: `context.receive`. */
  readonly receive: (message: T) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How pauses grow between attempts at a message: from 1 s to 30 s where it is left out. */
  readonly retry?: BackOff;
  /** How often a message is read that cannot be read for its own sake: five times where it is left out. */
  readonly mostReadings?: number;
  /** The most messages that wait before `room` holds its caller back: 1,000 where it is left out. */
  readonly mostWaiting?: number;
}

/**
 * Hands messages to Hermes: those of a lane (a chat, a thread) one by one, in the order in which they came, and each
 * again until Hermes has kept it. A lane waits for no other.
 *
 * @example
 * ```ts
 * const intake = new OrderedIntake({ receive, clock, logger });
 * onStop(() => intake.stop());
 * await intake.take(chatId, { place: chatId, id, decode: () => decode(wire) });
 * acknowledge(id); // not reached when the intake is stopped before: the platform sends the message again
 * ```
 */
export class OrderedIntake<T = InboundMessage> {
  readonly #parts: OrderedIntakeParts<T>;
  readonly #lanes = new Map<string, { last: Promise<void>; waiting: number }>();
  readonly #stopped = new AbortController();
  #waiting = 0;
  #room = Promise.withResolvers<void>();

  constructor(parts: OrderedIntakeParts<T>) {
    this.#parts = parts;
  }

  /** Aborts when it is stopped. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** The number of entries in a lane, including the one in progress. */
  waitingIn(lane: string): number {
    return this.#lanes.get(lane)?.waiting ?? 0;
  }

  /** True if the limit of waiting messages over all lanes is reached. */
  get isFull(): boolean {
    return this.#waiting >= this.#mostWaiting;
  }

  /**
   * Resolves when there is room: at once unless it is full, else when half of the messages are kept. A loop that reads
   * faster than Hermes keeps awaits this before it reads on, so that the messages wait at the platform and not in memory.
   */
  async room(): Promise<void> {
    if (!this.isFull) return;
    while (this.#waiting > this.#mostWaiting / 2) await this.#room.promise;
  }

  get #mostWaiting(): number {
    return this.#parts.mostWaiting ?? MOST_WAITING;
  }

  /** Hands a message over behind what waits in the lane. Resolves as {@link hand} does. */
  take(lane: string, entry: IntakeEntry<T>): Promise<void> {
    return this.run(lane, () => this.hand(entry));
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
      this.#waiting--;
      this.#room.resolve();
      this.#room = Promise.withResolvers();
    });
    this.#waiting++;
    this.#lanes.set(lane, { last: done, waiting: waiting + 1 });
    return done;
  }

  /**
   * Hands one message over now. Resolves when Hermes has kept it, or it is passed over since it cannot be read: see
   * {@link mayBeReadLater}. Never resolves when it is stopped before.
   */
  async hand({ place, id, decode }: IntakeEntry<T>): Promise<void> {
    const { receive, clock, logger, retry = RETRY, mostReadings = MOST_READINGS } = this.#parts;
    let readings = 0;
    for (let attempt = 1; ; attempt++) {
      let isRead = false;
      try {
        const message = await decode();
        isRead = true;
        if (message) await receive(message);
        if (!this.signal.aborted) return;
      } catch (error) {
        const fields = { place, id, reason: reasonOf(error) };
        if (!isRead && !mayBeReadLater(error) && ++readings >= mostReadings) {
          if (this.signal.aborted) await new Promise<never>(() => {});
          logger.error(fields, "a message could not be read, and is passed over");
          return;
        }
        const waitMs = backOff(attempt, retry);
        if (!this.signal.aborted) logger.warn({ ...fields, waitMs }, "a message was not taken; it is tried again");
        await sleep(clock, waitMs, this.signal);
      }
      if (this.signal.aborted) await new Promise<never>(() => {});
    }
  }

  /** Starts nothing more: entries that Hermes has not kept by now never resolve. */
  stop(): void {
    this.#stopped.abort();
  }
}
