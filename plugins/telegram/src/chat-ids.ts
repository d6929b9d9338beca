import { join } from "node:path";
import { KeptJson } from "@hermes/core";

/**
 * A group that is turned into a supergroup gets another id. Hermes is told; configs, and what is on its way, may name the
 * former one. Messages are numbered anew, so the ids of those name the chat too. Kept in a file, since Telegram says it
 * once.
 */
export class ChatIds {
  readonly #kept: KeptJson<Record<string, string>>;
  readonly #current: Map<string, string>;
  readonly #moved: (from: string, to: string) => Promise<void>;

  /** `moved` tells Hermes. */
  constructor(folder: string, moved: (from: string, to: string) => Promise<void>) {
    this.#kept = new KeptJson(join(folder, "chat-ids.json"), { empty: {} });
    this.#current = new Map(Object.entries(this.#kept.read()));
    this.#moved = moved;
  }

  /** The id that a chat has now. */
  current(chatId: string): string {
    return this.#current.get(chatId) ?? chatId;
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
    return [...this.#current.values()].includes(wireChatId) ? `${wireChatId}/` : "";
  }

  /** A group has become a supergroup. Resolves when Hermes has taken that over. */
  async note(from: string, to: string): Promise<void> {
    if (this.current(from) !== to) {
      this.#current.set(from, to);
      this.#kept.write(Object.fromEntries(this.#current));
    }
    await this.#moved(from, to);
  }

  /** Tells Hermes once more: a process may have ended before it had taken it over. */
  async tellAgain(): Promise<void> {
    for (const [from, to] of this.#current) await this.#moved(from, to);
  }
}
