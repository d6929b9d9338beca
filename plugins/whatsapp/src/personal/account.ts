import type { WAMessageKey, WASocket } from "@whiskeysockets/baileys";
import { toId } from "../source.ts";
import type { OwnIds } from "./keeping-repository.ts";

/** The account of the linked device, and its groups, as far as the connection tells of them. */
export class Account {
  readonly #groupNames = new Map<string, string>();
  #socket: WASocket | null = null;

  /** To be told of each socket. */
  listen(socket: WASocket): void {
    this.#socket = socket;
    const note = (groups: readonly { readonly id?: string; readonly subject?: string | null }[]) => {
      for (const { id, subject } of groups) if (id && subject) this.#groupNames.set(id, subject);
    };
    socket.ev.on("groups.upsert", note);
    socket.ev.on("groups.update", note);
  }

  /** A group's name, once an event has told it: WhatsApp is not asked. */
  groupName(groupId: string): string | undefined {
    return this.#groupNames.get(groupId);
  }

  /** As WhatsApp's server writes them; empty where it has not told. */
  get jids(): OwnIds {
    const { id = "", lid = "" } = this.#socket?.user ?? {};
    return { id, lid };
  }

  /** Its number, and the id that hides it. */
  get ids(): readonly string[] {
    const { id, lid } = this.jids;
    return [id, lid].filter((jid) => jid !== "").map(toId);
  }

  /** The number behind an id that hides it; null when WhatsApp has not told. */
  async numberOf(id: string): Promise<string | null> {
    const number = id.endsWith("@lid") ? await this.#socket?.signalRepository.lidMapping.getPNForLID(id) : null;
    return number ? toId(number) : null;
  }

  /** Shows the sender that their message was read. A failure is ignored: nothing depends on it. */
  async markRead(key: WAMessageKey): Promise<void> {
    await this.#socket?.readMessages([key]).catch(() => {});
  }
}
