import {
  type AdapterContext,
  type InboundMessage,
  OrderedIntake,
  PlatformError,
  type PluginDeps,
  type Polled,
  ReceiveLoop,
  type ReceiveRound,
  RecentMap,
  reasonOf,
  sleep,
} from "@hermes/core";
import type { IMessageOptions } from "./config.ts";
import type { Deliveries } from "./deliveries.ts";
import { toPlatformError } from "./errors.ts";
import { listenAt } from "./event-socket.ts";
import { type DecodeContext, decode, filesIn, targetOf } from "./inbound.ts";
import type { Liveness } from "./liveness.ts";
import { CLOCKS_DIFFER_MS } from "./sent-log.ts";
import { PLATFORM } from "./source.ts";
import { openWebhook } from "./webhook.ts";
import { type ToldRow, toldIn, type WireRow } from "./wire.ts";

/** A file may be linked to its message only after the message was told of: how often, and in which ms, it is read again. */
const MOST_READINGS = 3;
const LINKED_WITHIN_MS = 2_000;

/** How far back the history is read, in milliseconds: the Mac gets messages late, with the time when they were written. */
const OVERLAP_MS = 5 * 60_000;
const WIDE_OVERLAP_MS = 24 * 60 * 60_000;

/** How far before what an earlier process came to, in milliseconds: it may have passed over what would be taken now. */
const BEFORE_START_MS = 60 * 60_000;

/** An event may take as long as that, in milliseconds. */
const TOLD_WITHIN_MS = 10_000;

/** An older message that was edited is not taken for a new one, in milliseconds. */
const NEW_FOR_MS = 7 * 24 * 60 * 60_000;

const MOST_SEEN = 10_000;

export interface ReceiverParts extends DecodeContext {
  readonly deps: PluginDeps<IMessageOptions>;
  readonly deliveries: Deliveries;
  readonly liveness: Liveness;
}

/**
 * Takes in what people write. Events, by webhook and by socket, only say that there is something: each message is read
 * from the server, so nobody else can put one in, and one that is told of three times is read once. What no event told of
 * is found in the history.
 */
export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #context: AdapterContext;
  readonly #intake: OrderedIntake;
  /** What was taken in of a message, by its id. */
  readonly #seen = new RecentMap<string, string>(MOST_SEEN);
  readonly #told = new RecentMap<string, true>(MOST_SEEN);
  /** What is being taken in of a message. */
  readonly #taking = new RecentMap<string, string>(MOST_SEEN);
  /** The chat of a message, which some events leave out. */
  readonly #lanes = new RecentMap<string, string>(MOST_SEEN);
  /** When everything before was written that is not for Hermes. */
  #floor = 0;
  /** How far back this process reads the history; null before it has. */
  #from: number | null = null;

  constructor(parts: ReceiverParts, context: AdapterContext) {
    const { clock, logger } = parts.deps;
    this.#parts = parts;
    this.#context = context;
    const receive = (message: InboundMessage) => this.#receive(message);
    this.#intake = new OrderedIntake({ receive, clock, logger });
  }

  /** Resolves when messages come in. */
  async start(): Promise<void> {
    const { deps, api, liveness } = this.#parts;
    const { options, folder, clock, logger } = deps;
    const { onStop, keepPolling } = this.#context;
    onStop(() => this.#intake.stop());
    const take = (type: string, data: unknown) => this.take(type, data);
    const register = await openWebhook({ api, options, folder, logger, take }, this.#context);
    const socket = new ReceiveLoop({
      clock,
      logger,
      toPlatformError,
      onHealth: ({ state }) => liveness.ways({ socket: state === "up" }),
      receive: (round) => listenAt(round, { clock, url: api.socketUrl(), take }),
    });
    onStop(() => socket.stop());
    await keepPolling({
      owner: PLATFORM,
      poll: async (kept, round) => {
        // Known before anything is told of: the server may tell of old messages again.
        const after = kept ?? (await this.#now(round.signal));
        this.#floor = this.#notAfterNow(Number.parseInt(after, 10));
        const isWide = round.isFirst || (await liveness.next(round.signal));
        if (isWide) {
          await this.#look(round.signal);
          await register?.(round.signal);
          liveness.ways({ webhook: register !== null });
        }
        // The history is read when whatever comes from now on is told of.
        if (round.isFirst) socket.start().catch(() => {});
        return this.#poll(after, round, isWide);
      },
      judge: (_, usual) => {
        if (usual.health === null || usual.error.code !== "PLATFORM_UNAVAILABLE") return usual;
        const detail = `${usual.error.message} The Mac may be off, asleep or restarting, or BlueBubbles is not running there.`;
        return { ...usual, health: { state: "down", detail } };
      },
    });
  }

  /** An event, whichever way it came. */
  take(type: string, data: unknown): void {
    const { liveness, sentLog, deliveries, api } = this.#parts;
    if (type === "hello-world") liveness.nudge();
    const told = /^(?:new-message|updated-message|message-send-error)$/.test(type) ? toldIn(data) : null;
    if (told === null) return;
    liveness.told();
    this.#told.set(told.guid, true);
    if (sentLog.byGuid(told.guid) !== undefined) {
      deliveries.look(told.guid);
      return;
    }
    if (this.#seen.get(told.guid) === versionOf(told)) return;
    const place = told.chats?.[0]?.guid ?? this.#lanes.get(told.guid) ?? told.guid;
    void this.#hand(place, told.guid, () => api.message(told.guid, this.#intake.signal));
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { api, directory, liveness, sentLog, deps } = this.#parts;
    const info = await api.info(signal);
    directory.learn(info);
    liveness.learn(info);
    sentLog.aheadMs = await api.aheadMs(deps.clock, signal);
  }

  /** The cursor of a first start: nothing that was written before is for Hermes. */
  async #now(signal: AbortSignal): Promise<string> {
    const { api, deps, sentLog } = this.#parts;
    const [newest] = await api.messages("newest", signal);
    const floor = newest ? newest.dateCreated + 1 : deps.clock.now() + sentLog.aheadMs - CLOCKS_DIFFER_MS;
    return `${floor}:${floor}`;
  }

  async #poll(after: string, { signal, isFirst }: ReceiveRound, isWide: boolean): Promise<Polled> {
    const { api, liveness, sentLog, deps } = this.#parts;
    const [floor = 0, last = 0] = after.split(":").map((at) => this.#notAfterNow(Number(at)));
    this.#from ??= Math.max(floor, last - BEFORE_START_MS);
    const from = Math.max(this.#from, last - (isWide ? WIDE_OVERLAP_MS : OVERLAP_MS));
    const rows = await api.messages({ after: from }, signal);
    const unseen = rows.filter((row) => this.#seen.get(row.guid) !== versionOf(row));
    const isUntold = (row: WireRow) => {
      const isNew = !row.isFromMe && !this.#told.has(row.guid) && !this.#seen.has(row.guid);
      return isNew && deps.clock.now() - sentLog.writtenAt(row) > TOLD_WITHIN_MS;
    };
    if (!isFirst) for (const _ of unseen.filter(isUntold)) liveness.untold();
    const entries = unseen.map((row) => {
      const { guid: id, chats } = row;
      const place = chats[0]?.guid ?? id;
      const read = async () => (this.#isWhole(row) ? row : api.message(id, this.#intake.signal));
      // In line with what events tell of.
      return { place, id, decode: async () => this.#hand(place, id, read).then(() => null) };
    });
    return { entries, cursor: `${floor}:${Math.max(last, this.#notAfterNow(rows.at(-1)?.dateCreated ?? 0))}` };
  }

  /** A clock that was wrong for a while has written times to come: from there on, nothing would be new. */
  #notAfterNow(at: number): number {
    const { deps, sentLog } = this.#parts;
    return Math.min(at, deps.clock.now() + sentLog.aheadMs + CLOCKS_DIFFER_MS);
  }

  async #hand(place: string, id: string, read: () => Promise<WireRow>): Promise<void> {
    this.#lanes.set(id, place);
    await this.#intake.take(place, { place, id, decode: () => this.#read(read) });
  }

  async #read(read: () => Promise<WireRow>): Promise<InboundMessage | null> {
    const row = await read()
      .then((told) => this.#whole(told))
      .catch((error) => this.#nullIfPassedOver(error));
    return row && this.#decode(row);
  }

  /** A message may not be there: it was deleted on the Mac, or the event was made up. And one may be in an unknown form. */
  async #nullIfPassedOver(error: unknown): Promise<null> {
    if (error instanceof PlatformError && /^PLATFORM_(?:NOT_FOUND|REJECTED)$/.test(error.code)) return null;
    // A server that is away is asked for ever. One that answers, and cannot tell this message, would block its chat.
    await this.#parts.api.info(this.#intake.signal);
    throw new Error(reasonOf(error));
  }

  /** A message with the files that belong to it, as far as they come in time. */
  async #whole(told: WireRow): Promise<WireRow> {
    const { api, deps } = this.#parts;
    let row = told;
    for (let reading = 1; !this.#isWhole(row) && reading < MOST_READINGS; reading++) {
      await sleep(deps.clock, LINKED_WITHIN_MS, this.#intake.signal);
      row = await api.message(row.guid, this.#intake.signal);
    }
    return row;
  }

  #isWhole(row: WireRow): boolean {
    if (row.partCount === 0 || row.isFromMe || row.associatedMessageType != null) return true;
    const isEmpty = !row.text && row.attachments.length === 0 && !row.balloonBundleId && (row.itemType ?? 0) === 0;
    return !isEmpty && row.attachments.length >= filesIn(row);
  }

  async #decode(row: WireRow): Promise<InboundMessage | null> {
    const { deliveries, sentLog, deps } = this.#parts;
    deliveries.heard(row);
    const version = versionOf(row);
    const before = this.#seen.get(row.guid);
    if (before === version || (before === undefined && row.dateCreated < this.#floor && !row.dateEdited)) return null;
    const decoded = await decode(row, this.#parts);
    if (decoded?.kind === "message") {
      const { isEdit, ...first } = decoded.message;
      // One that was edited before Hermes saw it is taken first; where it was, that changes nothing.
      const mayBeNew = row.dateCreated >= Math.max(this.#floor, deps.clock.now() - NEW_FOR_MS);
      if (isEdit && before === undefined && mayBeNew) await this.#context.receive(first);
      this.#taking.set(row.guid, version);
      return decoded.message;
    }
    if (decoded?.kind === "press") {
      await this.#context.choose(decoded.press);
      const sent = sentLog.byGuid(targetOf(row));
      if (sent) sentLog.put({ ...sent, pressed: [...(sent.pressed ?? []), row.guid] });
    }
    if (decoded?.kind === "retraction") await this.#context.retracted(decoded.at, decoded.messageId);
    this.#seen.set(row.guid, version);
    return null;
  }

  async #receive(message: InboundMessage): Promise<void> {
    const { messageId } = message;
    await this.#context.receive(message);
    this.#seen.set(messageId, this.#taking.get(messageId) ?? "");
  }
}

/** Tells a message from what it was before: it was edited or taken back, or its files are there. */
function versionOf({ dateEdited = null, partCount = null, attachments }: ToldRow): string {
  return [dateEdited, partCount, attachments.length].join();
}
