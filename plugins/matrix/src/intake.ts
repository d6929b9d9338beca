import { type Clock, type InboundMessage, type Logger, PlatformError, sleep } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import type { Crypto } from "./crypto/crypto.ts";
import { isWorthRetrying } from "./errors.ts";
import { type DecodeContext, decode, type ReadableEvent } from "./inbound.ts";
import type { Invitations } from "./invitations.ts";
import { messagesMissed } from "./missed.ts";
import type { Rooms } from "./rooms.ts";
import type { BotStore } from "./store/bot-store.ts";
import type { Waiting } from "./waiting.ts";
import type { JoinedRoom, MatrixEvent, SyncResponse } from "./wire.ts";

/** A message that Hermes could not take is handed over again after this, in milliseconds. */
const TAKE_AGAIN_MS = 1_000;

export interface IntakeParts {
  readonly api: MatrixApi;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: BotStore;
  readonly rooms: Rooms;
  readonly invitations: Invitations;
  readonly crypto: Crypto | null;
  readonly waiting: Waiting | null;
  readonly context: DecodeContext;
  /** Resolves when the message is kept. */
  readonly receive: (message: InboundMessage) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Takes in what a sync brings: keys, rooms, invitations and messages, in this order. */
export class Intake {
  readonly #parts: IntakeParts;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when everything is kept, and records that. `since` is null at the very first sync: what was written before
   * is nobody's question to the bot.
   */
  async take(sync: SyncResponse, since: string | null): Promise<void> {
    const { store, rooms, invitations, waiting } = this.#parts;
    await this.#takeKeys(sync);
    const { join = {}, invite = {}, leave = {} } = sync.rooms ?? {};
    const entries = Object.entries(join).map(([roomId, joined]) => {
      const isNew = rooms.get(roomId)?.membership !== "join";
      rooms.apply(roomId, joined);
      return { roomId, joined, isNew };
    });
    for (const roomId of Object.keys(leave)) rooms.leave(roomId);
    await invitations.take(invite);
    await waiting?.takeReadable((roomId, event) => this.#hand(roomId, event));
    if (since !== null) {
      await Promise.all(
        entries.map(({ roomId, joined, isNew }) => this.#takeRoom(roomId, joined, isNew ? null : since)),
      );
    }
    this.#parts.signal.throwIfAborted();
    store.commit(sync.next_batch, rooms.takeChanges());
  }

  async #takeKeys(sync: SyncResponse): Promise<void> {
    try {
      await this.#parts.crypto?.receive(sync);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // What could not be sent is tried again with the next sync.
      this.#parts.logger.warn({ reason: error.message }, "keys could not be exchanged");
    }
  }

  /** The messages of one room in their order; the rooms side by side. `since` is null where the bot has just come in. */
  async #takeRoom(roomId: string, { timeline }: JoinedRoom, since: string | null): Promise<void> {
    const { api, logger } = this.#parts;
    const { events = [], limited, prev_batch: from } = timeline ?? {};
    if (since === null) {
      for (const event of this.#sinceJoining(events)) await this.#takeEvent(roomId, event);
      return;
    }
    const missed = limited && from ? await messagesMissed({ api, logger }, roomId, { from, to: since }) : [];
    for (const event of [...missed, ...events]) await this.#takeEvent(roomId, event);
  }

  #sinceJoining(events: readonly MatrixEvent[]): readonly MatrixEvent[] {
    const { userId } = this.#parts.context.me;
    const joined = events.findLastIndex(
      ({ type, state_key: key, content }) =>
        type === "m.room.member" && key === userId && content.membership === "join",
    );
    return events.slice(joined + 1);
  }

  async #takeEvent(roomId: string, event: MatrixEvent): Promise<void> {
    const { crypto, waiting, logger, context } = this.#parts;
    if (event.sender === context.me.userId || event.state_key !== undefined) return;
    if (event.type !== "m.room.encrypted") {
      await this.#hand(roomId, { event, type: event.type, content: event.content });
    } else if (crypto === null) {
      logger.warn({ room: roomId }, "an encrypted message cannot be read: there is no encryption");
    } else if (event.content.ciphertext !== undefined) {
      const clear = await crypto.decrypt(roomId, event);
      if (clear.isClear) await this.#hand(roomId, { event, ...clear });
      else waiting?.keep(roomId, event, clear.reason);
    }
  }

  /** Hands a message over until it is kept. */
  async #hand(roomId: string, readable: ReadableEvent): Promise<void> {
    const { clock, logger, context, receive, signal } = this.#parts;
    const { event_id: event } = readable.event;
    for (;;) {
      signal.throwIfAborted();
      try {
        const message = await decode(roomId, readable, context);
        if (message === null) return;
        await receive(message).catch((error: unknown) => {
          throw new NotKept(error);
        });
        return;
      } catch (error) {
        // What cannot be read now and will not be later must not hold up everything behind it.
        const isHopeless = !(error instanceof NotKept) && !(error instanceof PlatformError && isWorthRetrying(error));
        if (isHopeless) {
          logger.error({ event, error }, "a message could not be read; it is passed over");
          return;
        }
        logger.warn({ event, error: error.cause ?? error }, "a message was not taken; it is handed over again");
      }
      await sleep(clock, TAKE_AGAIN_MS, signal);
    }
  }
}

/** Hermes could not keep a message. */
class NotKept extends Error {
  constructor(cause: unknown) {
    super("a message was not kept", { cause });
    this.name = "NotKept";
  }
}
