import type { Identities } from "@hermes/core";
import type { MatrixOptions } from "./config.ts";
import type { Rooms } from "./rooms.ts";

/** Allows everybody, where an operator has written it down. */
const EVERYBODY = "*";

/**
 * Who may draw the bot into a room, and for whose messages it takes trouble: files, keys that are missing. Core asks
 * again for every message.
 */
export class Guests {
  readonly #options: MatrixOptions;
  readonly #rooms: Rooms;
  readonly #identities: Pick<Identities, "isLinked">;
  #homeId: string | null;

  constructor(options: MatrixOptions, rooms: Rooms, identities: Pick<Identities, "isLinked">) {
    this.#options = options;
    this.#rooms = rooms;
    this.#identities = identities;
    this.#homeId = options.homeChannel?.chatId ?? null;
  }

  /** The room that is the home channel. */
  setHome(roomId: string): void {
    this.#homeId = roomId;
  }

  isHome(roomId: string): boolean {
    return roomId === this.#homeId;
  }

  /**
   * Nobody may until the config or the operator says so. The room that it names as home is the operator's choice,
   * whoever invites there.
   */
  async mayInvite(inviter: string, roomId: string): Promise<boolean> {
    return this.isHome(roomId) || this.#isListed(inviter) || this.#identities.isLinked(inviter);
  }

  /** Whoever is in a direct chat that is the home channel may, since the config names that chat. */
  async mayTalk(userId: string, roomId: string): Promise<boolean> {
    if (this.#isListed(userId) || this.#options.allowedBots.includes(userId)) return true;
    if (this.isHome(this.#rooms.canonical(roomId)) && (await this.#rooms.kindOf(roomId)) === "dm") return true;
    return this.#identities.isLinked(userId);
  }

  #isListed(userId: string): boolean {
    const { allowedUsers, operators } = this.#options;
    return operators.includes(userId) || allowedUsers.includes(userId) || allowedUsers.includes(EVERYBODY);
  }
}
