import { reasonOf } from "@hermes/core";
import type { Bot } from "./bot.ts";
import { conversationIn } from "./source.ts";
import { type MatrixEvent, threadOf } from "./wire.ts";

/** The least time between two notices to a room, in milliseconds. */
const TOLD_EVERY_MS = 60_000;

const NOTICE =
  "A message here came unencrypted, so that somebody else could have written it. It was not read. Send it again, encrypted, please.";

/** What comes unencrypted into an encrypted room: who wrote it nobody but the server says. */
export class Unencrypted {
  readonly #bot: Bot;
  readonly #toldAt = new Map<string, number>();

  constructor(bot: Bot) {
    this.#bot = bot;
  }

  /** Passes a message over, and tells the room. */
  async refuse(roomId: string, event: MatrixEvent, signal: AbortSignal): Promise<void> {
    const { rooms, guests, outbound, clock, logger } = this.#bot;
    logger.warn({ room: roomId, event: event.event_id }, "an unencrypted message in an encrypted room is passed over");
    if (!(await guests.mayTalk(event.sender, roomId))) return;
    if (clock.now() - (this.#toldAt.get(roomId) ?? Number.NEGATIVE_INFINITY) < TOLD_EVERY_MS) return;
    this.#toldAt.set(roomId, clock.now());
    try {
      const room = { id: rooms.canonical(roomId), kind: await rooms.kindOf(roomId) };
      const at = conversationIn(room, threadOf(event.content), undefined);
      const piece = { text: NOTICE, extra: { msgtype: "m.notice" } };
      await outbound.send(at, piece, { key: `unencrypted ${event.event_id}`, signal });
    } catch (error) {
      logger.warn({ room: roomId, reason: reasonOf(error) }, "nobody could be told of an unencrypted message");
    }
  }
}
