import { PlatformError, reasonOf } from "@hermes/core";
import type { SignedIn } from "./bot.ts";
import type { Crypto } from "./crypto/crypto.ts";
import { isWorthRetrying } from "./errors.ts";
import type { ReadableEvent } from "./inbound.ts";
import type { Outbound } from "./outbound.ts";
import { conversationIn } from "./source.ts";
import type { WaitingEvent } from "./store/bot-store.ts";
import { type MatrixEvent, threadOf } from "./wire.ts";

/** A key mostly comes with its message or seconds later; after this, people are told, in milliseconds. */
const NOTICE_AFTER_MS = 60_000;

/** A key that has not come after this will not come, in milliseconds. */
const GIVE_UP_AFTER_MS = 7 * 24 * 3_600_000;

export interface WaitingParts extends SignedIn {
  readonly crypto: Crypto;
  readonly outbound: Outbound;
}

/** Messages whose keys have not come yet. They survive restarts; after a while the room is told. */
export class Waiting {
  readonly #parts: WaitingParts;
  /** Rooms for which keys have come, or may have come before an earlier process could hand over what they open. */
  readonly #keysFor: Set<string>;
  #timer: Disposable | null = null;
  #telling: Promise<void> | null = null;
  /** A server that could not take a notice is asked again then. */
  #notBefore = 0;
  readonly #stopped = new AbortController();

  constructor(parts: WaitingParts) {
    this.#parts = parts;
    this.#keysFor = new Set(parts.store.waiting().map(({ roomId }) => roomId));
    parts.crypto.onRoomKeys((roomIds) => {
      for (const id of roomIds) this.#keysFor.add(id);
    });
    this.#schedule();
  }

  /**
   * Keeps a message until its key comes, unless nobody would answer it. Other devices of the account are asked for the
   * key.
   */
  async keep(roomId: string, event: MatrixEvent, reason: string): Promise<void> {
    const { store, clock, logger, guests } = this.#parts;
    if (!(await guests.mayTalk(event.sender, roomId))) return;
    store.keepWaiting(roomId, event, clock.now());
    logger.info({ room: roomId, event: event.event_id, reason }, "a message cannot be read yet");
    this.#schedule();
  }

  /** Hands over what can be read now that keys have come. */
  async takeReadable(take: (roomId: string, event: ReadableEvent) => Promise<void>): Promise<void> {
    if (this.#keysFor.size === 0) return;
    const rooms = new Set(this.#keysFor);
    // Before they are tried: a key that comes meanwhile is for the next time.
    this.#keysFor.clear();
    try {
      await this.#takeFrom(rooms, take);
    } catch (error) {
      for (const id of rooms) this.#keysFor.add(id);
      throw error;
    }
  }

  async #takeFrom(
    rooms: ReadonlySet<string>,
    take: (roomId: string, event: ReadableEvent) => Promise<void>,
  ): Promise<void> {
    const { store, crypto } = this.#parts;
    for (const { roomId, event } of store.waiting()) {
      if (!rooms.has(roomId)) continue;
      const clear = await crypto.decrypt(roomId, event);
      if (!clear.isClear) continue;
      await take(roomId, { event, ...clear });
      store.dropWaiting(event.event_id);
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#timer?.[Symbol.dispose]();
    await this.#telling;
  }

  /** One timer, for the message that has waited longest without a word about it. */
  #schedule(): void {
    const { store, clock } = this.#parts;
    if (this.#timer !== null || this.#stopped.signal.aborted) return;
    const next = store.waiting().find(({ isNoticed }) => !isNoticed);
    if (next === undefined) return;
    const dueAt = Math.max(next.since + NOTICE_AFTER_MS, this.#notBefore);
    this.#timer = clock.setTimer(Math.max(0, dueAt - clock.now()), () => {
      this.#timer = null;
      this.#telling = this.#tell().finally(() => this.#schedule());
    });
  }

  /** Tells each room once, however many messages wait there. */
  async #tell(): Promise<void> {
    const { store, clock, logger } = this.#parts;
    const due = store.waiting().filter(({ since, isNoticed }) => !isNoticed && clock.now() - since >= NOTICE_AFTER_MS);
    for (const [roomId, events] of Map.groupBy(due, (one) => one.roomId)) {
      try {
        await this.#tellRoom(roomId, events);
      } catch (error) {
        logger.warn({ room: roomId, reason: reasonOf(error) }, "nobody could be told of an unreadable message");
        if (error instanceof PlatformError && isWorthRetrying(error)) {
          this.#notBefore = clock.now() + NOTICE_AFTER_MS;
          continue;
        }
      }
      for (const { event } of events) store.markNoticed(event.event_id);
    }
    for (const { event, since } of store.waiting()) {
      if (clock.now() - since > GIVE_UP_AFTER_MS) store.dropWaiting(event.event_id);
    }
  }

  async #tellRoom(roomId: string, events: readonly WaitingEvent[]): Promise<void> {
    const { rooms, outbound } = this.#parts;
    const unread = await this.#unreadIn(roomId, events);
    const [first] = unread;
    if (first === undefined) return;
    const what = unread.length === 1 ? "A message here could not" : `${unread.length} messages here could not`;
    const text = `${what} be decrypted: ${first.reason}. Send it again, please; should the key still come, it is answered then.`;
    const room = { id: rooms.canonical(roomId), kind: await rooms.kindOf(roomId) };
    const at = conversationIn(room, threadOf(first.event.content), undefined);
    const piece = { text, extra: { msgtype: "m.notice" } };
    await outbound.send(at, piece, { key: `unreadable ${first.event.event_id}`, signal: this.#stopped.signal });
  }

  /** The messages that still cannot be read, of those who may be told. */
  async #unreadIn(
    roomId: string,
    events: readonly WaitingEvent[],
  ): Promise<{ readonly event: MatrixEvent; readonly reason: string }[]> {
    const { crypto, guests } = this.#parts;
    const unread = [];
    for (const { event } of events) {
      const again = await crypto.decrypt(roomId, event);
      // It is handed over with the next sync.
      if (again.isClear) this.#keysFor.add(roomId);
      else if (await guests.mayTalk(event.sender, roomId)) unread.push({ event, reason: again.reason });
    }
    return unread;
  }
}
