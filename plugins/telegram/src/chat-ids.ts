import { join } from "node:path";
import { KeptJson } from "@hermes/core";

/**
 * A group that is turned into a supergroup gets another id. Its conversations keep the id they began with, so that a
 * session is found again; Telegram is told the one it knows now. Its messages are numbered anew, so the ids of those
 * name the chat too. Kept in a file, since Telegram says it once.
 */
export class ChatIds {
  readonly #kept: KeptJson<Record<string, string>>;
  readonly #current: Map<string, string>;
  readonly #first = new Map<string, string>();

  constructor(folder: string) {
    this.#kept = new KeptJson(join(folder, "chat-ids.json"), { empty: {} });
    this.#current = new Map(Object.entries(this.#kept.read()));
    for (const [first, current] of this.#current) this.#first.set(current, first);
  }

  /** The id by which Hermes knows a chat. */
  known(wireId: string): string {
    return this.#first.get(wireId) ?? wireId;
  }

  /** The id by which Telegram knows a chat. */
  wire(knownId: string): string {
    return this.#current.get(knownId) ?? knownId;
  }

  /** The id by which Hermes knows a message. */
  messageId(wireChatId: string, number: number): string {
    return `${this.#prefixOf(wireChatId)}${number}`;
  }

  /** The number of a message in a chat as Telegram knows both; null for one from before the chat got its id. */
  numberIn(wireChatId: string, messageId: string): number | null {
    const prefix = this.#prefixOf(wireChatId);
    const number = messageId.startsWith(prefix) ? messageId.slice(prefix.length) : "";
    return /^\d+$/.test(number) ? Number(number) : null;
  }

  #prefixOf(wireChatId: string): string {
    return this.known(wireChatId) === wireChatId ? "" : `${wireChatId}/`;
  }

  /** A group has become a supergroup. */
  note(from: string, to: string): void {
    const first = this.known(from);
    if (this.wire(first) === to) return;
    this.#current.set(first, to);
    this.#first.set(to, first);
    this.#kept.write(Object.fromEntries(this.#current));
  }
}
