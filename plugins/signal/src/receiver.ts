import { type Clock, type InboundMessage, type Logger, reasonOf, sleep } from "@hermes/core";
import { holdsMessage, type ReceivedEvent, readEvent } from "./envelope.ts";
import type { EventJournal, KeptEvent } from "./event-journal.ts";
import type { StreamEvent } from "./sse.ts";

/** A message that Hermes could not take is offered again after this, in milliseconds. */
const OFFER_AGAIN_MS = 1_000;

export interface ReceiverParts {
  readonly journal: EventJournal;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly decode: (event: ReceivedEvent) => Promise<InboundMessage | null>;
  /** Resolves when Hermes has kept the message. */
  readonly receive: (message: InboundMessage) => Promise<void>;
}

/** Hands messages on in the order in which they came, and keeps each until Hermes has it. */
export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #waiting: KeptEvent[];
  readonly #stopping = new AbortController();
  #isWorking = false;
  #lastEventId: string | null;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#lastEventId = parts.journal.lastEventId();
    this.#waiting = parts.journal.waiting();
  }

  /** Takes up what an earlier process left. */
  start(): void {
    this.#wake();
  }

  /** Begins nothing more. What is not kept by Hermes stays for the next process. */
  stop(): void {
    this.#stopping.abort();
  }

  lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** When it returns, the event need not come again; throws when it could not be kept. */
  take(event: StreamEvent): void {
    const read = readEvent(event.data);
    if (read?.exception) {
      const { type, message } = read.exception;
      this.#parts.logger.warn({ type, reason: message, from: read.envelope.sourceUuid }, "a message cannot be read");
    }
    if (read !== null && holdsMessage(read)) {
      this.#waiting.push(this.#parts.journal.keep(event));
      this.#wake();
    }
    if (event.id !== null) this.#lastEventId = event.id;
  }

  #wake(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    void this.#work().finally(() => {
      this.#isWorking = false;
    });
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined && !this.#isStopping; next = this.#waiting[0]) {
      const message = await this.#decode(next);
      if (message !== null && !(await this.#handOver(message))) return;
      // What decoding was broken off by the end of this process waits for the next one.
      if (this.#isStopping && message === null) return;
      this.#parts.journal.drop(next);
      this.#waiting.shift();
    }
  }

  /** What cannot be decoded is passed over: the messages behind it are not to wait for ever. */
  async #decode({ event }: KeptEvent): Promise<InboundMessage | null> {
    try {
      const read = readEvent(event.data);
      return read && (await this.#parts.decode(read));
    } catch (error) {
      if (!this.#isStopping) this.#parts.logger.error({ error }, "a message could not be read");
      return null;
    }
  }

  async #handOver(message: InboundMessage): Promise<boolean> {
    const { clock, logger, receive } = this.#parts;
    for (;;) {
      try {
        await receive(message);
        return true;
      } catch (error) {
        if (this.#isStopping) return false;
        logger.warn({ message: message.messageId, reason: reasonOf(error) }, "a message was not taken; it is kept");
        await sleep(clock, OFFER_AGAIN_MS, this.#stopping.signal);
        if (this.#isStopping) return false;
      }
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}
