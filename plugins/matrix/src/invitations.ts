import type { Logger } from "@hermes/core";
import { reasonOf } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import type { Guests } from "./guests.ts";
import type { Rooms } from "./rooms.ts";
import type { StrippedEvent, SyncResponse } from "./wire.ts";

export interface InvitationsParts {
  readonly api: MatrixApi;
  readonly rooms: Rooms;
  readonly guests: Guests;
  readonly logger: Logger;
  readonly userId: string;
}

type Invites = NonNullable<NonNullable<SyncResponse["rooms"]>["invite"]>;

/** Enters rooms: where somebody invites who may, and those that follow a room which is upgraded. */
export class Invitations {
  readonly #parts: InvitationsParts;
  /** Replacements that could not be entered; an invitation may still come. */
  readonly #closed = new Set<string>();

  constructor(parts: InvitationsParts) {
    this.#parts = parts;
  }

  async take(invites: Invites): Promise<void> {
    for (const [roomId, { invite_state: state }] of Object.entries(invites)) {
      await this.#takeInvite(roomId, state?.events ?? []);
    }
    await this.#followUpgrades();
  }

  async #takeInvite(roomId: string, state: readonly StrippedEvent[]): Promise<void> {
    const { guests, rooms, logger, userId } = this.#parts;
    const inviter = state.find(({ type, state_key: key }) => type === "m.room.member" && key === userId)?.sender;
    const isReplacement = rooms.replacedBy(roomId) !== undefined;
    if (!isReplacement && (inviter === undefined || !guests.mayInvite(inviter, roomId))) {
      // Without an answer: a stranger does not even learn that somebody reads it.
      logger.info({ room: roomId, inviter }, "an invitation by somebody who may not invite is left alone");
      return;
    }
    await this.#enter(roomId, inviter);
  }

  /** "Room upgrades": the old room says which one replaces it. */
  async #followUpgrades(): Promise<void> {
    for (const { from, to } of this.#parts.rooms.awaited) {
      if (this.#closed.has(to)) continue;
      this.#closed.add(to);
      await this.#enter(to, from);
    }
  }

  async #enter(roomId: string, hint: string | undefined): Promise<void> {
    const { api, logger } = this.#parts;
    // The inviter's server knows the room, and so does that of the room it replaces.
    const server = hint?.includes(":") ? [hint.slice(hint.indexOf(":") + 1)] : [];
    try {
      await api.join(roomId, server);
      logger.info({ room: roomId }, "the bot has entered a room");
    } catch (error) {
      logger.warn({ room: roomId, reason: reasonOf(error) }, "a room could not be entered");
    }
  }
}
