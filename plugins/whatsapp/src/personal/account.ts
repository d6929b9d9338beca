import type { WAMessageKey, WASocket } from "@whiskeysockets/baileys";
import { toId } from "../ids.ts";
import type { OwnIds } from "./keeping-repository.ts";

/** The account whose device this is, as far as the connection that there is tells of it. */
export class Account {
  #socket: WASocket | null = null;

  listen(socket: WASocket): void {
    this.#socket = socket;
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

  /** The number of somebody whose id hides it, where WhatsApp has told; else null. */
  async numberOf(id: string): Promise<string | null> {
    const number = id.endsWith("@lid") ? await this.#socket?.signalRepository.lidMapping.getPNForLID(id) : null;
    return number ? toId(number) : null;
  }

  /** Shows the sender that their message was read. A failure is ignored: nothing depends on it. */
  async markRead(key: WAMessageKey): Promise<void> {
    await this.#socket?.readMessages([key]).catch(() => {});
  }
}
