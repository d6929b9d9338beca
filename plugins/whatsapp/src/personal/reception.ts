import { AsyncLocalStorage } from "node:async_hooks";
import { type Clock, type InboundMessage, type Logger, sleep } from "@hermes/core";
import type { WAMessage, WASocket } from "@whiskeysockets/baileys";
import { type Arrivals, keyOf } from "./arrivals.ts";

export interface ReceptionParts {
  readonly arrivals: Arrivals;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether a message is one that is to be kept and handed over. */
  readonly isForHermes: (message: WAMessage) => boolean;
  /** What a person wrote; null for what says nothing. */
  readonly read: (message: WAMessage) => Promise<InboundMessage | null>;
  /** Resolves once Hermes has the message. */
  readonly handOver: (message: InboundMessage, wire: WAMessage) => Promise<void>;
}

/** How soon a message that Hermes could not take is handed over again, in milliseconds. */
const AGAIN_MS = 1_000;

/** How often reading a message is tried: one that can never be read would hold up all that is behind it. */
const MOST_READINGS = 5;

/** How many messages are remembered, since one may come by two ways. */
const MOST_REMEMBERED = 2_000;

/** The way from what was decrypted to Hermes: kept first, then handed over, each chat's messages in order. */
export class Reception {
  readonly #parts: ReceptionParts;
  readonly #seen = new Set<string>();
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #ended = new AbortController();
  /** What is kept comes out of the middle of a transaction; what is done with it does not belong to that. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #isOpen = false;

  constructor(parts: ReceptionParts) {
    this.#parts = parts;
  }

  /** To be told of each socket: what could not be decrypted here the phone sends once more, by way of an event. */
  listen({ ev }: WASocket): void {
    ev.on("messages.upsert", ({ messages }) => {
      for (const message of messages) this.#take(message);
    });
  }

  /** The account is known now, and what an earlier process has left is taken up. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const message of this.#parts.arrivals.waiting) this.#enqueue(message);
  }

  /** Writes a message down, and hands it over soon. Throws when it cannot be written down. */
  keep(message: WAMessage): void {
    if (this.#seen.has(keyOf(message)) || !this.#parts.isForHermes(message)) return;
    if (!this.#parts.arrivals.add(message)) return;
    if (!this.#isOpen) return;
    for (const one of [...this.#parts.arrivals.takeFound(), message]) this.#outside(() => this.#enqueue(one));
  }

  stop(): void {
    this.#ended.abort();
    this.#parts.arrivals.close();
  }

  #take(message: WAMessage): void {
    try {
      this.keep(message);
    } catch (error) {
      this.#parts.logger.error({ error }, "a message could not be kept");
    }
  }

  #enqueue(message: WAMessage): void {
    const key = keyOf(message);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const [oldest] = this.#seen;
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
    const chat = message.key.remoteJid ?? "";
    const lane = (this.#lanes.get(chat) ?? Promise.resolve()).then(() => this.#handOver(message));
    this.#lanes.set(chat, lane);
    void lane.then(() => {
      if (this.#lanes.get(chat) === lane) this.#lanes.delete(chat);
    });
  }

  async #handOver(wire: WAMessage): Promise<void> {
    const { arrivals, handOver } = this.#parts;
    const message = await this.#again(() => this.#parts.read(wire), MOST_READINGS);
    if (message) await this.#again(() => handOver(message, wire), Number.POSITIVE_INFINITY);
    if (!this.#ended.signal.aborted) arrivals.remove(wire);
  }

  /** Tries `work` until it succeeds, `mostTimes` at most. Undefined when it never did. */
  async #again<T>(work: () => Promise<T>, mostTimes: number): Promise<T | undefined> {
    const { clock, logger } = this.#parts;
    const { signal } = this.#ended;
    for (let times = 1; !signal.aborted; times++) {
      try {
        return await work();
      } catch (error) {
        if (times >= mostTimes) {
          logger.error({ error }, "a message cannot be read; it is passed over");
          return undefined;
        }
        logger.warn({ error }, "a message could not be handed over; it is tried again");
        await sleep(clock, AGAIN_MS, signal);
      }
    }
    return undefined;
  }
}
