import { createHash } from "node:crypto";
import { type Clock, RecentMap } from "@hermes/core";
import type { proto } from "@whiskeysockets/baileys";
import { readOwnFile, writeOwnFile } from "../own-file.ts";

/** How many messages are remembered. */
const MOST_REMEMBERED = 200;

/** WhatsApp lets a message be changed for 15 minutes; a little less, so that a change arrives in time, in milliseconds. */
const EDITABLE_MS = 14 * 60_000;

/**
 * The id of the message for a send. It is made of the send's key: WhatsApp's apps show a message id once, however often
 * it comes, so that a send may be repeated.
 */
export function messageIdFor(key: string): string {
  return `3EB0${createHash("sha256").update(key).digest("hex").slice(0, 18).toUpperCase()}`;
}

/** What was sent lately: when, so that it is known whether it can be changed, and what, should it be asked for again. */
export class SentMessages {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #times: Map<string, number>;
  readonly #contents = new RecentMap<string, proto.IMessage>(MOST_REMEMBERED);

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    this.#times = new RecentMap(MOST_REMEMBERED, JSON.parse(readOwnFile(path) ?? "[]") as [string, number][]);
  }

  note(id: string, content: proto.IMessage): void {
    this.#contents.set(id, content);
    if (this.#times.has(id)) return;
    this.#times.set(id, this.#clock.now());
    writeOwnFile(this.#path, JSON.stringify([...this.#times]));
  }

  content(id: string): proto.IMessage | undefined {
    return this.#contents.get(id);
  }

  canBeChanged(id: string): boolean {
    const at = this.#times.get(id);
    return at !== undefined && this.#clock.now() - at < EDITABLE_MS;
  }
}
