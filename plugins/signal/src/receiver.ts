import { type Clock, type InboundMessage, type Logger, reasonOf, sleep } from "@hermes/core";
import { chatIn, holdsMessage, type ReceivedEvent, readEvent } from "./envelope.ts";
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
  /** Hears of what signal-cli itself could not read. */
  readonly onUnreadable: (event: ReceivedEvent) => void;
}

/** A message on its way to Hermes. */
interface Waiting {
  readonly kept: KeptEvent;
  readonly event: ReceivedEvent;
}

/**
 * Hands messages on, those of a chat in the order in which they came, and keeps each until Hermes has it. A chat waits
 * for no other: in one of them a file may be slow to come.
 */
export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #stopping = new AbortController();
  /** By chat; a lane that is there is being worked on, once it has begun. */
  readonly #lanes = new Map<string, Waiting[]>();
  #lastEventId: string | null;
  #isStrange = false;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    this.#lastEventId = parts.journal.lastEventId();
    for (const kept of parts.journal.waiting()) {
      const event = readEvent(kept.event.data);
      if (event === null) this.#drop(kept);
      else this.#laneOf(event).push({ kept, event });
    }
  }

  /** Takes up what an earlier process left. */
  start(): void {
    for (const chat of this.#lanes.keys()) void this.#work(chat);
  }

  /** Begins nothing more. What is not kept by Hermes stays for the next process. */
  stop(): void {
    this.#stopping.abort();
  }

  lastEventId(): string | null {
    return this.#lastEventId;
  }

  /** When it returns, the event need not come again; throws when it could not be kept. */
  take(streamed: StreamEvent): void {
    const event = readEvent(streamed.data);
    this.#noteStrange(event === null);
    if (event?.exception) this.#parts.onUnreadable(event);
    if (event !== null && holdsMessage(event)) {
      const lane = this.#laneOf(event);
      lane.push({ kept: this.#parts.journal.keep(streamed), event });
      if (lane.length === 1) void this.#work(chatIn(event));
    }
    if (streamed.id !== null) this.#lastEventId = streamed.id;
  }

  /** Said once, until something is understood again: whatever sends this may send much of it. */
  #noteStrange(isStrange: boolean): void {
    if (isStrange && !this.#isStrange) {
      this.#parts.logger.warn({}, "the daemon sent what is no event of signal-cli; it is passed over");
    }
    this.#isStrange = isStrange;
  }

  #laneOf(event: ReceivedEvent): Waiting[] {
    const chat = chatIn(event);
    const lane = this.#lanes.get(chat) ?? [];
    this.#lanes.set(chat, lane);
    return lane;
  }

  async #work(chat: string): Promise<void> {
    const lane = this.#lanes.get(chat) ?? [];
    for (let next = lane[0]; next !== undefined && !this.#isStopping; next = lane[0]) {
      const message = await this.#decode(next.event);
      if (message !== null && !(await this.#handOver(message))) return;
      // What decoding was broken off by the end of this process waits for the next one.
      if (this.#isStopping && message === null) return;
      this.#drop(next.kept);
      lane.shift();
    }
    this.#lanes.delete(chat);
  }

  /** What cannot be decoded is passed over: the messages behind it are not to wait for ever. */
  async #decode(event: ReceivedEvent): Promise<InboundMessage | null> {
    try {
      return await this.#parts.decode(event);
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

  /** What stays by mistake comes once more, and is known then. */
  #drop(kept: KeptEvent): void {
    try {
      this.#parts.journal.drop(kept);
    } catch (error) {
      this.#parts.logger.warn({ reason: reasonOf(error) }, "a message that Hermes has could not be removed");
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}
