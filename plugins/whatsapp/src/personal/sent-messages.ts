import { createHash } from "node:crypto";
import { type Clock, KeptJson, RecentMap } from "@hermes/core";
import type { proto } from "@whiskeysockets/baileys";

/** How many messages are remembered. */
const MOST_REMEMBERED = 200;

/** WhatsApp lets a message be changed for 15 minutes; a little less, so that a change arrives in time, in milliseconds. */
const EDITABLE_MS = 14 * 60_000;

/**
 * The message id for a send, derived from its key. WhatsApp's apps show a message id once, however often it comes: that
 * makes a repeated send idempotent.
 */
export function messageIdFor(key: string): string {
  return `3EB0${createHash("sha256").update(key).digest("hex").slice(0, 18).toUpperCase()}`;
}

/** What was sent recently: when, to know whether it can still be edited, and what, should a receiver ask for it again. */
export class SentMessages {
  readonly #file: KeptJson<[string, number][]>;
  readonly #clock: Clock;
  readonly #times: Map<string, number>;
  readonly #contents = new RecentMap<string, proto.IMessage>(MOST_REMEMBERED);

  constructor(path: string, clock: Clock) {
    this.#file = new KeptJson(path, { empty: [], isDurable: true });
    this.#clock = clock;
    this.#times = new RecentMap(MOST_REMEMBERED, this.#file.read());
  }

  note(id: string, content: proto.IMessage): void {
    this.#contents.set(id, content);
    if (this.#times.has(id)) return;
    this.#times.set(id, this.#clock.now());
    this.#file.write([...this.#times]);
  }

  content(id: string): proto.IMessage | undefined {
    return this.#contents.get(id);
  }

  canBeChanged(id: string): boolean {
    const at = this.#times.get(id);
    return at !== undefined && this.#clock.now() - at < EDITABLE_MS;
  }
}
