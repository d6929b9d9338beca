import { type Clock, type InboundMessage, type Logger, reasonOf, sleep } from "@hermes/core";
import type { Cursors } from "./cursors.ts";

/** A message that Hermes could not keep is offered again after 1 s, 2 s … and every 30 s, in milliseconds. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** How often reading a message is tried: a file that Discord does not give holds nobody up for ever. */
const MOST_READINGS = 5;

export interface InboundQueueParts {
  readonly receive: (message: InboundMessage) => Promise<void>;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads a message; null when it is none for Hermes. May throw, and is asked again then. */
export type Decode = () => Promise<InboundMessage | null>;

/**
 * Hands messages over: those of a channel one by one, in the order in which they came. A channel's cursor moves on only
 * when Hermes has kept the message, so that one which it could not keep is fetched again after a restart.
 */
export class InboundQueue {
  readonly #parts: InboundQueueParts;
  readonly #channels = new Map<string, Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(parts: InboundQueueParts) {
    this.#parts = parts;
  }

  /** Resolves when the message is kept, or is none for Hermes; never, when it is stopped before. */
  take(channelId: string, messageId: string, decode: Decode): Promise<void> {
    this.#parts.cursors.heard(channelId, messageId);
    return this.between(channelId, () => this.hand(channelId, messageId, decode));
  }

  /** Runs `work` between two messages of a channel. */
  between(channelId: string, work: () => Promise<void>): Promise<void> {
    if (this.#stopped.signal.aborted) return Promise.resolve();
    const done = (this.#channels.get(channelId) ?? Promise.resolve()).then(work);
    const settled = done.catch((error: unknown) => {
      this.#parts.logger.error({ channelId, reason: reasonOf(error) }, "messages of a channel could not be taken in");
    });
    this.#channels.set(channelId, settled);
    void settled.then(() => {
      if (this.#channels.get(channelId) === settled) this.#channels.delete(channelId);
    });
    return done;
  }

  /** Hands one message over, at its turn. What cannot even be read is passed over after some attempts. */
  async hand(channelId: string, messageId: string, decode: Decode): Promise<void> {
    const { receive, cursors, clock, logger } = this.#parts;
    for (let attempt = 1, waitMs = FIRST_RETRY_MS; ; attempt++, waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      let isRead = false;
      try {
        const message = await decode();
        isRead = true;
        if (message) await receive(message);
        if (!this.#stopped.signal.aborted) cursors.advance(channelId, messageId);
        return;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        const fields = { channelId, messageId, reason: reasonOf(error) };
        if (!isRead && attempt === MOST_READINGS) {
          logger.error(fields, "a message could not be read, and is passed over");
          return;
        }
        logger.warn({ ...fields, waitMs }, "a message was not taken; it is tried again");
        await sleep(clock, waitMs, this.#stopped.signal);
        if (this.#stopped.signal.aborted) return;
      }
    }
  }

  stop(): void {
    this.#stopped.abort();
  }
}
