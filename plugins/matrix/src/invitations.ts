import { PlatformError, reasonOf } from "@hermes/core";
import type { SignedIn } from "./bot.ts";
import { isWorthRetrying } from "./errors.ts";
import type { SyncResponse } from "./wire.ts";

type Invites = NonNullable<NonNullable<SyncResponse["rooms"]>["invite"]>;

/** Enters rooms: where somebody invites who may, and those that follow a room which is upgraded. */
export class Invitations {
  readonly #bot: SignedIn;
  /** Rooms that this process has looked at, and that it tries no more by itself. */
  readonly #settled = new Set<string>();

  constructor(bot: SignedIn) {
    this.#bot = bot;
  }

  /** Called with each sync. An invitation that could not be accepted for the moment is tried again then. */
  async take(invites: Invites): Promise<void> {
    const { rooms, userId } = this.#bot;
    for (const [roomId, { invite_state: state }] of Object.entries(invites)) {
      const own = state?.events?.find(({ type, state_key: key }) => type === "m.room.member" && key === userId);
      if (own === undefined) continue;
      this.#settled.delete(roomId);
      rooms.invite(roomId, own.sender);
    }
    for (const { roomId, inviter } of rooms.invitations) {
      if (this.#settled.has(roomId)) continue;
      if (await this.#isWelcome(roomId, inviter)) await this.#enter(roomId, inviter);
    }
    // "Room upgrades": the old room says which one replaces it, and that one may be open to all who were there.
    for (const { from, to } of rooms.awaited) {
      if (!this.#settled.has(to)) await this.#enter(to, from);
    }
  }

  async #isWelcome(roomId: string, inviter: string): Promise<boolean> {
    const { guests, rooms, logger } = this.#bot;
    if (rooms.replacedBy(roomId) !== undefined || (await guests.mayInvite(inviter, roomId))) return true;
    // Without an answer: a stranger does not even learn that somebody reads it.
    logger.info({ room: roomId, inviter }, "an invitation by somebody who may not invite is left alone");
    this.#settled.add(roomId);
    return false;
  }

  async #enter(roomId: string, hint: string): Promise<void> {
    const { api, logger } = this.#bot;
    // The inviter's server knows the room, and so does that of the room it replaces.
    const server = hint.includes(":") ? [hint.slice(hint.indexOf(":") + 1)] : [];
    try {
      await api.join(roomId, server);
      logger.info({ room: roomId }, "the bot has entered a room");
      this.#settled.add(roomId);
    } catch (error) {
      logger.warn({ room: roomId, reason: reasonOf(error) }, "a room could not be entered");
      if (!(error instanceof PlatformError && isWorthRetrying(error))) this.#settled.add(roomId);
    }
  }
}
