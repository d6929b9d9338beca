import { RecentMap } from "@hermes/core";
import type { WAMessageKey, WASocket } from "@whiskeysockets/baileys";
import { toId } from "../source.ts";
import type { OwnIds } from "./keeping-repository.ts";

/** The linked device's account and groups, as far as the connection tells. */
export class Account {
  readonly #groupNames = new Map<string, string>();
  readonly #keys = new RecentMap<string, WAMessageKey>(1_000);
  #socket: WASocket | null = null;

  /** Listens on each socket. */
  listen(socket: WASocket): void {
    this.#socket = socket;
    const note = (groups: readonly { readonly id?: string; readonly subject?: string | null }[]) => {
      for (const { id, subject } of groups) if (id && subject) this.#groupNames.set(id, subject);
    };
    socket.ev.on("groups.upsert", note);
    socket.ev.on("groups.update", note);
  }

  /** A group's name, if an event has told it; WhatsApp is not queried. */
  groupName(groupId: string): string | undefined {
    return this.#groupNames.get(groupId);
  }

  /** The account's ids in WhatsApp's form; empty if it has not told them. */
  get jids(): OwnIds {
    const { id = "", lid = "" } = this.#socket?.user ?? {};
    return { id, lid };
  }

  /** The account's number, and the id that hides it. */
  get ids(): readonly string[] {
    const { id, lid } = this.jids;
    return [id, lid].filter((jid) => jid !== "").map(toId);
  }

  /** The number behind an id that hides it; null if WhatsApp has not told. */
  async numberOf(id: string): Promise<string | null> {
    const number = id.endsWith("@lid") ? await this.#socket?.signalRepository.lidMapping.getPNForLID(id) : null;
    return number ? toId(number) : null;
  }

  /** Remembers under which key a message came, for {@link markRead}. */
  noteKey(messageId: string, key: WAMessageKey): void {
    this.#keys.set(messageId, key);
  }

  /** Sends a read receipt for a message that came lately. */
  async markRead(messageId: string): Promise<void> {
    const key = this.#keys.get(messageId);
    if (key) await this.#socket?.readMessages([key]);
  }
}
