import { createHash } from "node:crypto";
import {
  type Clock,
  type Conversation,
  type Logger,
  type Piece,
  PlatformError,
  RecentMap,
  reasonOf,
  type SendOptions,
  type SendReceipt,
  safeFileName,
} from "@hermes/core";
import type { Api } from "./api.ts";
import { tapbacksOf } from "./choices.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Directory } from "./directory.ts";
import { errorOfCode, errors, isBusy } from "./errors.ts";
import type { Liveness } from "./liveness.ts";
import { CLOCKS_DIFFER_MS, type Sent, type SentLog, wordsOf } from "./sent-log.ts";
import { isSmsId } from "./source.ts";
import { rowAnswer, type SentRow, sentAnswer, type WireRow } from "./wire.ts";

/** The server waits for Messages as long ("MessagePromise"); what is not there by then was not sent, in milliseconds. */
const ON_ITS_WAY_MS = 130_000;

/** What reached the server is known there by then; and where it gives up after as long, its row may come yet. */
const REACHED_WITHIN_MS = 10_000;
const GIVES_UP_AFTER_MS = 100_000;

/** How long a file may take, in milliseconds, if its caller waits that long. */
const UPLOADED_WITHIN_MS = 10 * 60_000;

/** Messages changes a message five times at most ("Edit messages on Mac"); the last two are kept for how it ends. */
const MOST_DRAFTS = 3;
const MOST_GROWING = 200;

export interface OutboundParts {
  readonly api: Api;
  readonly directory: Directory;
  readonly sentLog: SentLog;
  readonly deliveries: Deliveries;
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Sends, changes, and shows that something is being written. */
export class Outbound {
  readonly #parts: OutboundParts;
  /** How often a message was changed under one key. */
  readonly #edits = new RecentMap<string, number>(MOST_GROWING);

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  /**
   * Sends once for each key. What an earlier attempt may have sent is looked for first, and nothing is sent as long as
   * that may be on its way.
   */
  async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { key, content, signal } = options;
    const found = await this.findSent(to, key, signal);
    if (found !== null) return found;
    const { sentLog, clock } = this.#parts;
    const words = wordsOf(piece.text, piece.file && fileNameOf(piece));
    const { guid: chatGuid } = await this.#parts.directory.chat(to, signal);
    const tapbacks = tapbacksOf(piece);
    const begun = sentLog.put({ key, chatId: to.chatId, words, at: clock.now(), ...(tapbacks ? { tapbacks } : {}) });
    try {
      return this.#noteSent(begun, await this.#post(chatGuid, piece, options, content));
    } catch (error) {
      return this.#afterFailure(to, begun, error, signal);
    }
  }

  /** What was sent under a key; null if there is certainly nothing. Throws PLATFORM_UNAVAILABLE while nobody can tell. */
  async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    const { sentLog } = this.#parts;
    const sent = sentLog.get(key);
    if (sent === undefined) return null;
    if (sent.guid !== undefined) return { messageId: sent.guid, sentAt: sent.at };
    // Asked first: what is sent in between is in the history then.
    const isOnItsWay = await this.#mayBeOnItsWay(to, sent, signal);
    const row = await this.#lookUp(to, sent, signal);
    if (row !== null) return this.#noteSent(sent, row);
    if (isOnItsWay) throw errors.unavailable("a message may still be on its way");
    sentLog.drop(key);
    return null;
  }

  async #mayBeOnItsWay(to: Conversation, { key, at }: Sent, signal: AbortSignal): Promise<boolean> {
    const { api, directory, clock } = this.#parts;
    const age = clock.now() - at;
    if (age >= ON_ITS_WAY_MS) return false;
    if (age < REACHED_WITHIN_MS || age > GIVES_UP_AFTER_MS) return true;
    const { guid } = await directory.chat(to, signal);
    return api.isSending(guid, nameOf(key), signal);
  }

  /** What is changed under one key again and again is a text that grows; what comes under another is its last version. */
  async edit(
    { chatId }: Pick<Conversation, "chatId">,
    messageId: string,
    piece: Piece,
    { key, signal }: SendOptions,
  ): Promise<SendReceipt> {
    // The server would wait half a minute for what cannot come about.
    if (isSmsId(chatId)) throw errors.rejected("an SMS cannot be changed", "Its last version comes all the same.");
    const { api, sentLog, clock } = this.#parts;
    const name = `${messageId} ${key}`;
    const edits = (this.#edits.get(name) ?? 0) + 1;
    if (edits > MOST_DRAFTS)
      throw errors.rejected("a message can be changed five times", "Its last version comes all the same.");
    this.#edits.set(name, edits);
    const sent = sentLog.byGuid(messageId);
    const now = await api.message(messageId, signal);
    if (!isSame(now.text, piece.text)) {
      const json = {
        editedMessage: piece.text,
        backwardsCompatibilityMessage: `Edited to “${piece.text}”`,
        partIndex: 0,
      };
      const path = `message/${encodeURIComponent(messageId)}/edit`;
      const { text } = await api.read(rowAnswer, { method: "POST", path, json, signal, withinMs: 60_000 });
      if (!isSame(text, piece.text)) {
        throw errors.rejected("Messages did not change it", "It is older than 15 minutes, or was changed five times.");
      }
    }
    if (sent) {
      const { tapbacks: _, ...others } = sent;
      const tapbacks = tapbacksOf(piece);
      sentLog.put({ ...others, words: wordsOf(piece.text), ...(tapbacks ? { tapbacks } : {}) });
    }
    return { messageId, sentAt: clock.now() };
  }

  async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    await this.#chatCall(at, "typing", signal);
  }

  async markRead(at: Conversation, signal: AbortSignal): Promise<void> {
    await this.#chatCall(at, "read", signal);
  }

  async #chatCall(at: Conversation, what: string, signal: AbortSignal): Promise<void> {
    const { guid } = await this.#parts.directory.chat(at, signal);
    await this.#parts.api.call({ method: "POST", path: `chat/${encodeURIComponent(guid)}/${what}`, signal });
  }

  async #post(
    chatGuid: string,
    piece: Piece,
    { key, signal }: SendOptions,
    content: Uint8Array | undefined,
  ): Promise<SentRow> {
    const { api, liveness } = this.#parts;
    const fields = { chatGuid, tempGuid: nameOf(key), method: liveness.hasPrivateApi ? "private-api" : "apple-script" };
    const call = { method: "POST", signal, mayBeDone: true } as const;
    if (piece.file === undefined || content === undefined) {
      const json = { ...fields, message: piece.text };
      return api.read(sentAnswer, { ...call, path: "message/text", json, withinMs: ON_ITS_WAY_MS });
    }
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...fields, name: fileNameOf(piece) })) body.set(name, value);
    body.set("attachment", new Blob([Buffer.from(content)], { type: piece.file.mediaType }), fileNameOf(piece));
    return api.read(sentAnswer, { ...call, path: "message/attachment", body, withinMs: UPLOADED_WITHIN_MS });
  }

  async #afterFailure(to: Conversation, begun: Sent, error: unknown, signal: AbortSignal): Promise<SendReceipt> {
    const { sentLog, directory, logger, liveness } = this.#parts;
    if (!(error instanceof PlatformError)) throw error;
    if (error.code !== "PLATFORM_UNCERTAIN") {
      // One that the server is busy with is an earlier attempt.
      if (!isBusy(error)) sentLog.drop(begun.key);
      if (error.code === "PLATFORM_NOT_FOUND") directory.forget();
      liveness.notSent(error);
      throw error;
    }
    // A chat whose guid is another one by now is sent to, and not found again.
    directory.forget();
    const found = await this.#lookUp(to, begun, signal).catch((thrown: unknown) => {
      logger.debug({ reason: reasonOf(thrown) }, "a message could not be looked up");
      return null;
    });
    if (found !== null) return this.#noteSent(begun, found);
    throw errors.unavailable("nobody can tell yet whether a message was sent");
  }

  /** The row of a message whose answer was lost: by its words, and not yet known as another one. */
  async #lookUp(to: Conversation, sent: Sent, signal: AbortSignal): Promise<WireRow | null> {
    const { api, directory, sentLog } = this.#parts;
    const { guid: chatGuid } = await directory.chat(to, signal);
    const after = sent.at + sentLog.aheadMs - CLOCKS_DIFFER_MS;
    const rows = await api.messages({ chatGuid, after }, signal);
    for (const row of rows) {
      const isOther = !row.isFromMe || row.associatedMessageType != null || row.error !== 0;
      if (!isOther && sentLog.byGuid(row.guid) === undefined && sentLog.claim(row, to.chatId)?.key === sent.key)
        return row;
    }
    return null;
  }

  #noteSent(begun: Sent, row: SentRow): SendReceipt {
    const { sentLog, deliveries, liveness } = this.#parts;
    if (row.error !== 0) throw errorOfCode(row.error);
    liveness.sent();
    const sent = sentLog.put({ ...begun, guid: row.guid, dateCreated: row.dateCreated });
    deliveries.watch(sent);
    deliveries.heard(row);
    return { messageId: row.guid, sentAt: row.dateCreated };
  }
}

/** What the server calls a send: while it is busy with that, it takes nothing more under this name. */
function nameOf(key: string): string {
  return `hermes-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** Whether an SMS would be sent that the config does not permit. */
export function refuseSms({ chatId }: Pick<Conversation, "chatId">, { sms }: { readonly sms: boolean }): void {
  if (isSmsId(chatId) && !sms) throw errors.forbidden("SMS is off", "Set `sms: true` in the config, if it is meant.");
}

function isSame(shown: string | null | undefined, wanted: string): boolean {
  return shown?.trim() === wanted.trim();
}

function fileNameOf({ file }: Piece): string {
  return safeFileName(file?.name ?? "");
}
