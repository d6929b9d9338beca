import {
  type AdapterContext,
  HintedHistory,
  type HintedMessage,
  type InboundMessage,
  PlatformError,
  ReceiveLoop,
  reasonOf,
} from "@hermes/core";
import type { ConnectionParts } from "./connection.ts";
import { toPlatformError } from "./errors.ts";
import { listenAt, openWebhook } from "./events.ts";
import { decode, targetOf } from "./inbound.ts";
import { PLATFORM } from "./source.ts";
import { type ToldRow, toldIn, type WireRow } from "./wire.ts";

/** How often the history is looked at, in milliseconds: while events come, and while none do. */
const LOOKS = { everyMs: 20_000, deafEveryMs: 5_000 } as const;

/**
 * Takes in what people write. Events, by webhook and by socket, only say that there is something: each message is read
 * from the server's history, so nobody else can put one in, and one that is told of three times is read once.
 */
export class Receiver {
  readonly history: HintedHistory<WireRow>;
  readonly #parts: ConnectionParts;
  readonly #context: AdapterContext;
  /** Gives the server the address for its webhooks. */
  #register: ((signal: AbortSignal) => Promise<void>) | null = null;
  readonly #socket: ReceiveLoop;

  constructor(parts: ConnectionParts, context: AdapterContext) {
    const { deps, api } = parts;
    const { clock, logger } = deps;
    this.#parts = parts;
    this.#context = context;
    this.history = new HintedHistory({
      ...LOOKS,
      clock,
      aheadMs: () => api.aheadMs,
      describe,
      renew: (signal) => this.#renew(signal),
      newest: async (signal) => (await api.messages("newest", signal))[0]?.dateCreated ?? null,
      since: (after, signal) => api.messages({ after }, signal),
      one: (guid, signal) => api.message(guid, signal).catch((error) => this.#nullIfPassedOver(error, signal)),
      decode: (row, isMissed) => this.#decode(row, isMissed),
    });
    this.#socket = new ReceiveLoop({
      clock,
      logger,
      toPlatformError,
      onHealth: ({ state }) => this.history.way("socket", state === "up", true),
      receive: (round) => listenAt(round, parts, (...event) => this.#take(...event)),
    });
  }

  /** Resolves when messages come in. */
  async start(): Promise<void> {
    const { onStop, keepPolling } = this.#context;
    this.#register = await openWebhook(this.#parts, (...event) => this.#take(...event), onStop);
    onStop(() => this.#socket.stop());
    await keepPolling({
      owner: PLATFORM,
      poll: this.history.poll,
      judge: (_, usual) => {
        if (usual.health === null || usual.error.code !== "PLATFORM_UNAVAILABLE") return usual;
        const detail = `${usual.error.message} The Mac may be off, asleep or restarting, or BlueBubbles is not running there.`;
        return { ...usual, health: { state: "down", detail } };
      },
    });
  }

  /** An event, whichever way it came. */
  #take(type: string, data: unknown): void {
    const { liveness, sent, reports } = this.#parts;
    if (type === "hello-world") this.history.wake();
    const told = /^(?:new-message|updated-message|message-send-error)$/.test(type) ? toldIn(data) : null;
    if (told === null) return;
    liveness.messages();
    const { guid: id, dateCreated } = told;
    const own = sent.byId(id);
    const isNews = type === "message-send-error" || told.error !== 0 || told.dateDelivered != null;
    if (own?.madeId === id && isNews) reports.look(id);
    this.history.hint({ id, at: dateCreated ?? 0, version: own ? null : versionOf(told) });
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { api, directory, liveness } = this.#parts;
    const info = await api.info(signal);
    directory.learn(info);
    liveness.learn(info);
    await this.#register?.(signal);
    this.history.way("webhook", this.#register !== null);
    // The history is read when whatever comes from now on is told of.
    this.#socket.start().catch(() => {});
  }

  /** A message may not be there: it was deleted on the Mac, or the event was made up. And one may be in an unknown form. */
  async #nullIfPassedOver(error: unknown, signal: AbortSignal): Promise<null> {
    if (error instanceof PlatformError && /^PLATFORM_(?:NOT_FOUND|REJECTED)$/.test(error.code)) return null;
    // A server that is away is asked for ever. One that answers, and cannot tell this message, would block all others.
    await this.#parts.api.info(signal);
    this.#parts.deps.logger.error({ reason: reasonOf(error) }, "a message could not be read, and is passed over");
    return null;
  }

  async #decode(row: WireRow, isMissed: boolean): Promise<InboundMessage | null> {
    const { sent } = this.#parts;
    const { receive, choose, retracted } = this.#context;
    const decoded = await decode(row, this.#parts);
    if (decoded?.kind === "message") {
      const { isEdit, ...first } = decoded.message;
      const isEmpty = first.text === "" && !first.attachments?.length && first.unreadable === undefined;
      // One that was edited before Hermes saw it is taken first; where it was, that changes nothing.
      if (isEdit && isMissed && !isEmpty) await receive(first);
      return decoded.message;
    }
    if (decoded?.kind === "press") {
      await choose(decoded.press);
      const asked = sent.byId(targetOf(row));
      const pressed = [...(asked?.note?.pressed ?? []), row.guid];
      if (asked) sent.change(asked.key, { note: { ...asked.note, pressed } });
    }
    if (decoded?.kind === "retraction") await retracted(decoded.at, decoded.messageId);
    return null;
  }
}

function describe(row: WireRow): HintedMessage {
  const { guid: id, chats, dateCreated: at, dateEdited, partCount, isFromMe: isOwn, attachments } = row;
  const isEmpty = !row.text && attachments.length === 0 && !row.balloonBundleId && (row.itemType ?? 0) === 0;
  // Where Messages has a place in the text for a file, and the file is not linked yet.
  const places = (row.attributedBody ?? []).reduce((sum, { string }) => sum + string.split("\ufffc").length - 1, 0);
  const hasFiles = partCount === 0 || isOwn || row.associatedMessageType != null;
  return {
    id,
    place: chats[0]?.guid ?? id,
    at,
    version: versionOf(row),
    isOwn,
    isChanged: dateEdited != null,
    isWhole: hasFiles || (!isEmpty && attachments.length >= places),
  };
}

/** Tells a message from what it was before: it was edited or taken back, or its files are there. */
function versionOf({ dateEdited = null, partCount = null, attachments }: ToldRow | WireRow): string {
  return [dateEdited, partCount, attachments.length].join();
}
