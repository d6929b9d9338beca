import { type Clock, type InboundMessage, type Logger, PlatformError, sleep } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import type { Crypto } from "./crypto/crypto.ts";
import { isWorthRetrying } from "./errors.ts";
import { type DecodeContext, decode, type ReadableEvent } from "./inbound.ts";
import type { Invitations } from "./invitations.ts";
import { messagesMissed } from "./missed.ts";
import type { Rooms } from "./rooms.ts";
import type { BotStore } from "./store/bot-store.ts";
import type { Unencrypted } from "./unencrypted.ts";
import type { Waiting } from "./waiting.ts";
import { isRedacted, type JoinedRoom, type MatrixEvent, type SyncResponse } from "./wire.ts";

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
  readonly unencrypted: Unencrypted;
  readonly context: DecodeContext;
  /** Resolves when the message is kept. */
  readonly receive: (message: InboundMessage) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Takes in what a sync brings: keys, rooms, invitations and messages, in this order. */
export class Intake {
  readonly #parts: IntakeParts;
  /** Rooms that the bot has come into with a sync that is not recorded yet; it may have to be taken once more. */
  readonly #entered = new Set<string>();
  /** Rooms that were encrypted with such a sync: what stands before that was open. */
  readonly #closed = new Set<string>();

  constructor(parts: IntakeParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when everything is kept, and records that. `since` is null at the very first sync: what was written before
   * was not written to the bot.
   */
  async take(sync: SyncResponse, since: string | null): Promise<void> {
    const { store, rooms, invitations, waiting } = this.#parts;
    // What has changed in other people's devices since then nobody tells.
    if (since === null) await this.#parts.crypto?.doubtDevices();
    await this.#takeKeys(sync);
    const { join = {}, invite = {}, leave = {} } = sync.rooms ?? {};
    for (const [roomId, joined] of Object.entries(join)) {
      if (rooms.get(roomId)?.membership !== "join") this.#entered.add(roomId);
      const wasOpen = rooms.get(roomId)?.encryption === undefined;
      rooms.apply(roomId, joined);
      if (wasOpen && rooms.get(roomId)?.encryption !== undefined) this.#closed.add(roomId);
    }
    for (const roomId of Object.keys(leave)) rooms.leave(roomId);
    await invitations.take(invite);
    await waiting?.takeReadable((roomId, event) => this.#hand(roomId, event));
    if (since !== null) {
      await Promise.all(
        Object.entries(join).map(([roomId, joined]) =>
          this.#takeRoom(roomId, joined, this.#entered.has(roomId) ? null : since),
        ),
      );
    }
    this.#parts.signal.throwIfAborted();
    store.commit(sync.next_batch, rooms.takeChanges());
    this.#entered.clear();
    this.#closed.clear();
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
    if (since === null) return this.#takeEvents(roomId, this.#sinceJoining(events));
    const missed = limited && from ? await messagesMissed({ api, logger }, roomId, { from, to: since }) : [];
    await this.#takeEvents(roomId, [...missed, ...events]);
  }

  async #takeEvents(roomId: string, events: readonly MatrixEvent[]): Promise<void> {
    const isEncrypted = this.#parts.rooms.get(roomId)?.encryption !== undefined;
    const closing = this.#closed.has(roomId) ? events.findIndex(({ type }) => type === "m.room.encryption") : -1;
    for (const [at, event] of events.entries()) await this.#takeEvent(roomId, event, isEncrypted && at > closing);
  }

  #sinceJoining(events: readonly MatrixEvent[]): readonly MatrixEvent[] {
    const { userId } = this.#parts.context.me;
    const joined = events.findLastIndex(
      ({ type, state_key: key, content }) =>
        type === "m.room.member" && key === userId && content.membership === "join",
    );
    return events.slice(joined + 1);
  }

  async #takeEvent(roomId: string, event: MatrixEvent, isEncrypted: boolean): Promise<void> {
    const { crypto, waiting, unencrypted, logger, context, signal } = this.#parts;
    if (event.sender === context.me.userId || event.state_key !== undefined) return;
    if (event.type === "m.room.message" && isEncrypted && !isRedacted(event)) {
      await unencrypted.refuse(roomId, event, signal);
    } else if (event.type !== "m.room.encrypted") {
      await this.#hand(roomId, { event, type: event.type, content: event.content });
    } else if (crypto === null) {
      logger.warn({ room: roomId }, "an encrypted message cannot be read: there is no encryption");
    } else if (event.content.ciphertext !== undefined) {
      const clear = await crypto.decrypt(roomId, event);
      if (clear.isClear) await this.#hand(roomId, { event, ...clear });
      else await waiting?.keep(roomId, event, clear.reason);
    }
  }

  /** Hands a message over until it is kept. */
  async #hand(roomId: string, readable: ReadableEvent): Promise<void> {
    const { clock, logger, receive, signal } = this.#parts;
    const message = await this.#decode(roomId, readable);
    if (message === null) return;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await receive(message);
      } catch (error) {
        const { event_id: event } = readable.event;
        logger.warn({ event, error }, "a message was not taken; it is handed over again");
      }
      await sleep(clock, TAKE_AGAIN_MS, signal);
    }
  }

  /**
   * Throws where the server cannot be asked for what a message is about: then nothing is received, the health says so,
   * and the same sync is asked for again.
   */
  async #decode(roomId: string, readable: ReadableEvent): Promise<InboundMessage | null> {
    const { logger, context } = this.#parts;
    try {
      return await decode(roomId, readable, context);
    } catch (error) {
      if (error instanceof PlatformError && isWorthRetrying(error)) throw error;
      // What will not be readable later either must not hold up everything behind it.
      logger.error({ event: readable.event.event_id, error }, "a message could not be read; it is passed over");
      return null;
    }
  }
}
