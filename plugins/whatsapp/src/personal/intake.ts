import { AsyncLocalStorage } from "node:async_hooks";
import { type Clock, type InboundMessage, type Logger, OrderedIntake } from "@hermes/core";
import type { WAMessage, WASocket } from "@whiskeysockets/baileys";
import { masked, toId } from "../source.ts";
import { type Arrivals, keyOf } from "./arrivals.ts";

export interface IntakeParts {
  readonly arrivals: Arrivals;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether a message is for Hermes. */
  readonly isForHermes: (message: WAMessage) => boolean;
  /** Decodes a person's message; null for one without content. */
  readonly read: (message: WAMessage) => Promise<InboundMessage | null>;
  /** Resolves once Hermes has stored the message. */
  readonly receive: (message: InboundMessage) => Promise<void>;
  /** The most messages that wait for Hermes; a message beyond that stays with WhatsApp. */
  readonly mostWaiting?: number;
}

/** The pause before a message that Hermes could not store is offered again, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 1_000 };

/** The most messages remembered for deduplication, since one may arrive in two ways. */
const MOST_REMEMBERED = 2_000;

/** Hands decrypted messages to Hermes, in order within a chat. Writes each to a file first. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #seen = new Set<string>();
  readonly #lanes: OrderedIntake;
  /** Runs outside the transaction of the Signal sessions in which messages arrive. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #isOpen = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#lanes = new OrderedIntake({ ...parts, retry: RETRY });
  }

  /** Listens on each socket for messages that could not be decrypted: the phone resends them, as events. */
  listen({ ev }: WASocket): void {
    ev.on("messages.upsert", ({ messages }) => {
      for (const message of messages) this.#take(message);
    });
  }

  /** Starts with the messages of an earlier process, once the account is known. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const message of this.#parts.arrivals.waiting) this.#enqueue(message);
  }

  /** Resolves when more messages may be received; those that come before are refused by {@link keep}. */
  room(): Promise<void> {
    return this.#lanes.room();
  }

  /** Writes a message to the file, and hands it over later. Throws if it cannot be written, or if too many wait. */
  keep(message: WAMessage): void {
    if (this.#isNew(message) && this.#lanes.isFull) throw new Error("too many messages wait for Hermes");
    this.#keep(message);
  }

  #isNew(message: WAMessage): boolean {
    return !this.#seen.has(keyOf(message)) && this.#parts.isForHermes(message);
  }

  #keep(message: WAMessage): void {
    const { arrivals } = this.#parts;
    if (!this.#isNew(message)) return;
    if (!arrivals.add(message) || !this.#isOpen) return;
    for (const one of [...arrivals.takeFound(), message]) this.#outside(() => this.#enqueue(one));
  }

  stop(): void {
    this.#lanes.stop();
    this.#parts.arrivals.close();
  }

  /** What comes as an event is acknowledged already: it is kept however many wait, and tried until it is. */
  #take(message: WAMessage): void {
    if (this.#lanes.signal.aborted) return;
    const { clock, logger } = this.#parts;
    try {
      this.#keep(message);
    } catch (error) {
      logger.error({ error }, "a message could not be kept; it is tried again");
      clock.setTimer(RETRY.firstMs, () => this.#take(message));
    }
  }

  #enqueue(wire: WAMessage): void {
    const key = keyOf(wire);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const [oldest] = this.#seen;
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
    const chat = wire.key.remoteJid ?? "";
    void this.#lanes.run(chat, () => this.#handOver(chat, wire));
  }

  async #handOver(chat: string, wire: WAMessage): Promise<void> {
    const { arrivals, read } = this.#parts;
    await this.#lanes.hand({ place: masked(toId(chat)), id: wire.key.id ?? "", decode: () => read(wire) });
    arrivals.remove(wire);
  }
}
