import type { ChatKind } from "@hermes/core";
import type { MatrixOptions } from "./config.ts";

/** Allows everybody, where an operator has written it down. */
const EVERYBODY = "*";

/**
 * Who may draw the bot into a room, or be told by itself that something went wrong. Core asks again for every message;
 * this is for what the adapter does without one.
 */
export class Guests {
  readonly #options: MatrixOptions;
  #homeId: string | null;

  constructor(options: MatrixOptions) {
    this.#options = options;
    this.#homeId = options.homeChannel?.chatId ?? null;
  }

  /** The room that is the home channel. */
  setHome(roomId: string): void {
    this.#homeId = roomId;
  }

  isHome(roomId: string): boolean {
    return roomId === this.#homeId;
  }

  /** Nobody may until the config says so. The room that it names as home is the operator's choice, whoever invites there. */
  mayInvite(inviter: string, roomId: string): boolean {
    return this.isHome(roomId) || this.#isListed(inviter);
  }

  mayTalk(userId: string, at: { readonly roomId: string; readonly kind: ChatKind }): boolean {
    return this.#isListed(userId) || (at.kind === "dm" && this.isHome(at.roomId));
  }

  #isListed(userId: string): boolean {
    const { allowedUsers, operators } = this.#options;
    return operators.includes(userId) || allowedUsers.includes(userId) || allowedUsers.includes(EVERYBODY);
  }
}
