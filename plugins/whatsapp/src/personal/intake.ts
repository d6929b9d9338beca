import { AsyncLocalStorage } from "node:async_hooks";
import { type Clock, type InboundMessage, type Logger, OrderedIntake } from "@hermes/core";
import type { WAMessage, WASocket } from "@whiskeysockets/baileys";
import { masked, toId } from "../source.ts";
import { type Arrivals, keyOf } from "./arrivals.ts";

export interface IntakeParts {
  readonly arrivals: Arrivals;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether Hermes is to have a message. */
  readonly isForHermes: (message: WAMessage) => boolean;
  /** What a person wrote; null for what says nothing. */
  readonly read: (message: WAMessage) => Promise<InboundMessage | null>;
  /** Resolves once Hermes has stored the message. */
  readonly receive: (message: InboundMessage) => Promise<void>;
}

/** A message that Hermes could not store is offered again every second, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 1_000 };

/** How many messages are remembered, since one may come in two ways. */
const MOST_REMEMBERED = 2_000;

/** Hands decrypted messages to Hermes: writes each to a file first, and keeps the order within a chat. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #seen = new Set<string>();
  readonly #lanes: OrderedIntake;
  /** Messages come from within a transaction of the Signal sessions; handing them over is not part of it. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #isOpen = false;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#lanes = new OrderedIntake({ ...parts, retry: RETRY });
  }

  /** To be told of each socket: the phone sends again what could not be decrypted here, and that comes as an event. */
  listen({ ev }: WASocket): void {
    ev.on("messages.upsert", ({ messages }) => {
      for (const message of messages) this.#take(message);
    });
  }

  /** Begins, with what an earlier process has left: the account is known now. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const message of this.#parts.arrivals.waiting) this.#enqueue(message);
  }

  /** Writes a message to the file, and hands it over soon. Throws when it cannot be written. */
  keep(message: WAMessage): void {
    const { arrivals, isForHermes } = this.#parts;
    if (this.#seen.has(keyOf(message)) || !isForHermes(message)) return;
    if (!arrivals.add(message) || !this.#isOpen) return;
    for (const one of [...arrivals.takeFound(), message]) this.#outside(() => this.#enqueue(one));
  }

  stop(): void {
    this.#lanes.stop();
    this.#parts.arrivals.close();
  }

  #take(message: WAMessage): void {
    try {
      this.keep(message);
    } catch (error) {
      this.#parts.logger.error({ error }, "a message could not be kept");
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
