import { type AdapterContext, type InboundMessage, mayBeReadLater, OrderedIntake, PlatformError } from "@hermes/core";
import type { Bot } from "./bot.ts";
import { isWorthRetrying } from "./errors.ts";
import { decode, type ReadableEvent } from "./inbound.ts";
import { Invitations } from "./invitations.ts";
import { OTHER_WORDS } from "./references.ts";
import { conversationIn } from "./source.ts";
import { Unencrypted } from "./unencrypted.ts";
import { isRedacted, type JoinedRoom, type MatrixEvent, type SyncResponse, stringOf } from "./wire.ts";

/** A message that Hermes could not keep is handed over again every second, in milliseconds. */
const HAND_AGAIN = { firstMs: 1_000, lastMs: 1_000 };

/** How far back a gap is filled, in pages of 100 events. */
const MOST_PAGES = 100;

/** Takes in what a sync brings: keys, rooms, invitations and messages, in this order. */
export class Intake {
  readonly bot: Bot;
  readonly #invitations: Invitations;
  readonly #unencrypted: Unencrypted;
  readonly #messages: OrderedIntake;
  /** Rooms that the bot has come into with a sync that is not recorded yet; it may have to be taken once more. */
  readonly #entered = new Set<string>();
  /** Rooms that were encrypted with such a sync: what stands before that was open. */
  readonly #closed = new Set<string>();

  readonly #retracted: AdapterContext["retracted"];

  constructor(bot: Bot, { receive, retracted }: Pick<AdapterContext, "receive" | "retracted">) {
    const { clock, logger } = bot;
    this.bot = bot;
    this.#retracted = retracted;
    this.#invitations = new Invitations(bot);
    this.#unencrypted = new Unencrypted(bot);
    this.#messages = new OrderedIntake({ receive, clock, logger, retry: HAND_AGAIN });
  }

  /** Aborts when it is stopped. */
  get signal(): AbortSignal {
    return this.#messages.signal;
  }

  /** Takes in nothing more, and stops the bot. */
  async stop(): Promise<void> {
    this.#messages.stop();
    this.bot.api.stop();
    await this.bot.stop();
  }

  /**
   * Resolves when everything is kept, and records that. `since` is null at the very first sync: what was written before
   * was not written to the bot.
   */
  async take(sync: SyncResponse, since: string | null): Promise<void> {
    const { store, rooms, crypto, waiting } = this.bot;
    // What has changed in other people's devices since then nobody tells.
    if (since === null) await crypto?.doubtDevices();
    await this.#takeKeys(sync);
    const { join = {}, invite = {}, leave = {} } = sync.rooms ?? {};
    for (const [roomId, joined] of Object.entries(join)) {
      if (rooms.get(roomId)?.membership !== "join") this.#entered.add(roomId);
      const wasOpen = rooms.get(roomId)?.encryption === undefined;
      rooms.apply(roomId, joined);
      if (wasOpen && rooms.get(roomId)?.encryption !== undefined) this.#closed.add(roomId);
    }
    for (const roomId of Object.keys(leave)) rooms.leave(roomId);
    await this.#invitations.take(invite);
    await waiting?.takeReadable((roomId, event) => this.#hand(roomId, event));
    if (since !== null) {
      await Promise.all(
        Object.entries(join).map(([roomId, joined]) =>
          this.#takeRoom(roomId, joined, this.#entered.has(roomId) ? null : since),
        ),
      );
    }
    this.signal.throwIfAborted();
    store.commit(sync.next_batch, rooms.takeChanges());
    this.#entered.clear();
    this.#closed.clear();
  }

  async #takeKeys(sync: SyncResponse): Promise<void> {
    try {
      await this.bot.crypto?.receive(sync);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // What could not be sent is tried again with the next sync.
      this.bot.logger.warn({ reason: error.message }, "keys could not be exchanged");
    }
  }

  /** The messages of one room in their order; the rooms side by side. `since` is null where the bot has just come in. */
  async #takeRoom(roomId: string, { timeline }: JoinedRoom, since: string | null): Promise<void> {
    const { events = [], limited, prev_batch: from } = timeline ?? {};
    if (since === null) return this.#takeEvents(roomId, this.#sinceJoining(events));
    const missed = limited && from ? await messagesMissed(this.bot, roomId, { from, to: since }) : [];
    await this.#takeEvents(roomId, [...missed, ...events]);
  }

  async #takeEvents(roomId: string, events: readonly MatrixEvent[]): Promise<void> {
    const isEncrypted = this.bot.rooms.get(roomId)?.encryption !== undefined;
    const closing = this.#closed.has(roomId) ? events.findIndex(({ type }) => type === "m.room.encryption") : -1;
    for (const [at, event] of events.entries()) await this.#takeEvent(roomId, event, isEncrypted && at > closing);
  }

  #sinceJoining(events: readonly MatrixEvent[]): readonly MatrixEvent[] {
    const { userId } = this.bot;
    const joined = events.findLastIndex(
      ({ type, state_key: key, content }) =>
        type === "m.room.member" && key === userId && content.membership === "join",
    );
    return events.slice(joined + 1);
  }

  async #takeEvent(roomId: string, event: MatrixEvent, isEncrypted: boolean): Promise<void> {
    const { crypto, waiting, logger, userId } = this.bot;
    if (event.sender === userId || event.state_key !== undefined) return;
    if (event.type === "m.room.redaction") {
      await this.#takeBack(roomId, event);
    } else if (isWritten(event) && isEncrypted && !isRedacted(event)) {
      await this.#unencrypted.refuse(roomId, event, this.signal);
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

  /** A server tells of a redaction once it has checked that whoever made it may ("Redactions"). */
  async #takeBack(roomId: string, { event_id: id, redacts, content }: MatrixEvent): Promise<void> {
    const target = redacts ?? stringOf(content.redacts);
    if (target === undefined) return;
    const { rooms, options } = this.bot;
    const decode = async () => {
      const room = { id: rooms.canonical(roomId), kind: await rooms.kindOf(roomId) };
      await this.#retracted(conversationIn(room, undefined, options.account), target);
      return null;
    };
    await this.#messages.hand({ place: roomId, id, decode });
  }

  /** Hands a message over until it is kept. */
  async #hand(roomId: string, readable: ReadableEvent): Promise<void> {
    const message = await this.#decode(roomId, readable);
    const { event_id: id } = readable.event;
    if (message) await this.#messages.hand({ place: roomId, id, decode: async () => message });
  }

  /**
   * Throws where the server cannot be asked for what a message is about, or a file cannot be read or written: then nothing
   * is received, the health says so, and the same sync is asked for again.
   */
  async #decode(roomId: string, readable: ReadableEvent): Promise<InboundMessage | null> {
    try {
      return await decode(roomId, readable, this.bot);
    } catch (error) {
      if (mayBeReadLater(error)) throw error;
      // What will not be readable later either must not hold up everything behind it.
      this.bot.logger.error(
        { event: readable.event.event_id, error },
        "a message could not be read; it is passed over",
      );
      return null;
    }
  }
}

/**
 * What happened in a room between two positions, oldest first: a sync brings the latest events of a room only, and says
 * from where the rest can be had ("limited", "prev_batch").
 */
async function messagesMissed(
  { api, logger }: Bot,
  roomId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<MatrixEvent[]> {
  const pages: MatrixEvent[][] = [];
  let at: string | undefined = from;
  while (at !== undefined && pages.length < MOST_PAGES) {
    try {
      const { chunk, end } = await api.messages(roomId, { from: at, to });
      pages.push(chunk.toReversed());
      at = end;
    } catch (error) {
      if (!(error instanceof PlatformError) || isWorthRetrying(error)) throw error;
      logger.warn({ room: roomId, reason: error.message }, "what was missed in a room may not be read any more");
      break;
    }
  }
  if (at !== undefined) logger.warn({ room: roomId }, "so much was written while nobody listened that not all is read");
  return pages.reverse().flat();
}

/** Whether a person wrote it, in the open. */
function isWritten({ type }: MatrixEvent): boolean {
  return type === "m.room.message" || OTHER_WORDS.has(type);
}
