import { createHash } from "node:crypto";
import {
  type Conversation,
  type Piece,
  PlatformError,
  RecentMap,
  reasonOf,
  type SendOptions,
  type SendReceipt,
  type Sent,
  safeFileName,
} from "@hermes/core";
import { tapbacksOf } from "./choices.ts";
import type { ConnectionParts } from "./connection.ts";
import { errorOfCode, errors, isBusy, refuseSms } from "./errors.ts";
import { CLOCKS_DIFFER_MS, claim, contentOf, fateOf, type Note, SENT_WITHIN_MS } from "./sent.ts";
import { isSmsId } from "./source.ts";
import { rowAnswer, type SentRow, sentAnswer, type WireRow } from "./wire.ts";

/** What reached the server is known there by then; and where it gives up after as long, its row may come yet. */
const REACHED_WITHIN_MS = 10_000;
const GIVES_UP_AFTER_MS = 100_000;

/** How long a file may take, in milliseconds, if its caller waits that long. */
const UPLOADED_WITHIN_MS = 10 * 60_000;

/** Messages changes a message five times at most ("Edit messages on Mac"); the last two are kept for how it ends. */
const MOST_DRAFTS = 3;
const MOST_GROWING = 200;

/** Sends, changes, and shows that something is being written. */
export class Outbound {
  readonly #parts: ConnectionParts;
  /** How often a message was changed under one key, or may have been, and to what at last: the same once more is no other change. */
  readonly #edits = new RecentMap<string, { readonly count: number; readonly text: string | null }>(MOST_GROWING);

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /**
   * Sends once for each key. What an earlier attempt may have sent is looked for first, and nothing is sent as long as
   * that may be on its way.
   */
  async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { sent, directory, deps } = this.#parts;
    refuseSms(to, deps.options);
    const { key, signal } = options;
    const found = await this.findSent(to, key, signal);
    if (found !== null) return found;
    const chat = await directory.chat(to, signal);
    refuseSms(to, deps.options, chat);
    const tapbacks = tapbacksOf(piece);
    const content = contentOf(piece.text, piece.file && fileNameOf(piece));
    const begun = await errors.beforehand(() => sent.begin(key, to.chatId, content, tapbacks && { tapbacks }));
    try {
      return this.#noteSent(begun, await this.#post(chat.guid, piece, options));
    } catch (error) {
      return this.#afterFailure(to, begun, error, signal);
    }
  }

  /** What was sent under a key; null if there is certainly nothing. Throws PLATFORM_UNAVAILABLE while nobody can tell. */
  async findSent(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null> {
    const { sent } = this.#parts;
    const begun = sent.get(key);
    if (begun === null) return null;
    if (begun.madeId !== null) return { messageId: begun.madeId, sentAt: begun.at };
    // Asked first: what is sent in between is in the history then.
    const isOnItsWay = await this.#mayBeOnItsWay(to, begun, signal);
    const row = await this.#lookUp(to, begun, signal);
    if (row !== null) return errors.beforehand(() => this.#noteSent(begun, row));
    if (isOnItsWay) throw errors.unavailable("a message may still be on its way");
    await errors.beforehand(() => sent.drop(key));
    return null;
  }

  async #mayBeOnItsWay(to: Conversation, { key, at }: Sent, signal: AbortSignal): Promise<boolean> {
    const { api, directory, deps } = this.#parts;
    const age = deps.clock.now() - at;
    if (age >= SENT_WITHIN_MS) return false;
    if (age < REACHED_WITHIN_MS || age > GIVES_UP_AFTER_MS) return true;
    const { guid } = await directory.chat(to, signal);
    return api.isSending(guid, nameOf(key), signal);
  }

  /** What is changed under one key again and again is a text that grows; what comes under another is its last version. */
  async edit({ chatId }: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { key, signal } = options;
    // The server would wait half a minute for what cannot come about.
    if (isSmsId(chatId)) throw errors.rejected("an SMS cannot be changed", "Its last version comes all the same.");
    const { api, sent, deps } = this.#parts;
    const { text } = piece;
    const name = `${messageId} ${key}`;
    const edits = this.#edits.get(name) ?? { count: 0, text: null };
    if (edits.count >= MOST_DRAFTS && edits.text !== text)
      throw errors.rejected("a message can be changed five times", "Its last version comes all the same.");
    const before = await api.message(messageId, signal);
    if (!isSame(before.text, text)) {
      const noteEdit = () => this.#edits.set(name, { count: edits.count + Number(edits.text !== text), text });
      const after = await this.#change(messageId, text, signal).catch((error: unknown) => {
        if (error instanceof PlatformError && error.code === "PLATFORM_UNCERTAIN") noteEdit();
        throw error;
      });
      if (!isSame(after.text, text)) {
        throw errors.rejected("Messages did not change it", "It is older than 15 minutes, or was changed five times.");
      }
      noteEdit();
    }
    const known = sent.byId(messageId);
    const tapbacks = tapbacksOf(piece);
    if (known) sent.change(known.key, { content: contentOf(text), note: { ...known.note, tapbacks } });
    return { messageId, sentAt: deps.clock.now() };
  }

  #change(messageId: string, text: string, signal: AbortSignal): Promise<WireRow> {
    const json = { editedMessage: text, backwardsCompatibilityMessage: `Edited to “${text}”`, partIndex: 0 };
    const path = `message/${encodeURIComponent(messageId)}/edit`;
    const call = { method: "POST", path, json, signal, mayBeDone: true, withinMs: 60_000 } as const;
    return this.#parts.api.read(rowAnswer, call);
  }

  /** Shows in a chat that something is being written, or that all was read. */
  async show(what: "typing" | "read", at: Conversation, signal: AbortSignal): Promise<void> {
    const { guid } = await this.#parts.directory.chat(at, signal);
    await this.#parts.api.call({ method: "POST", path: `chat/${encodeURIComponent(guid)}/${what}`, signal });
  }

  async #post(chatGuid: string, piece: Piece, { key, content, signal }: SendOptions): Promise<SentRow> {
    const { api, liveness } = this.#parts;
    const fields = { chatGuid, tempGuid: nameOf(key), method: liveness.hasPrivateApi ? "private-api" : "apple-script" };
    const call = { method: "POST", signal, mayBeDone: true } as const;
    if (piece.file === undefined || content === undefined) {
      const json = { ...fields, message: piece.text };
      return api.read(sentAnswer, { ...call, path: "message/text", json, withinMs: SENT_WITHIN_MS });
    }
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...fields, name: fileNameOf(piece) })) body.set(name, value);
    body.set("attachment", new Blob([Buffer.from(content)], { type: piece.file.mediaType }), fileNameOf(piece));
    return api.read(sentAnswer, { ...call, path: "message/attachment", body, withinMs: UPLOADED_WITHIN_MS });
  }

  async #afterFailure(to: Conversation, begun: Sent<Note>, error: unknown, signal: AbortSignal): Promise<SendReceipt> {
    const { sent, directory, deps, liveness } = this.#parts;
    if (!(error instanceof PlatformError)) throw error;
    if (error.code !== "PLATFORM_UNCERTAIN") {
      // One that the server is busy with is an earlier attempt.
      if (!isBusy(error)) sent.drop(begun.key);
      if (error.code === "PLATFORM_NOT_FOUND") directory.forget();
      liveness.messages(error);
      throw error;
    }
    // A chat whose guid is another one by now is sent to, and not found again.
    directory.forget();
    const found = await this.#lookUp(to, begun, signal).catch((thrown: unknown) => {
      deps.logger.debug({ reason: reasonOf(thrown) }, "a message could not be looked up");
      return null;
    });
    if (found !== null) return this.#noteSent(begun, found);
    throw errors.unavailable("nobody can tell yet whether a message was sent");
  }

  /** The row of a message whose answer was lost: by its words, and not yet known as another one. */
  async #lookUp(to: Conversation, begun: Sent<Note>, signal: AbortSignal): Promise<WireRow | null> {
    const { api, directory, sent } = this.#parts;
    const { guid: chatGuid } = await directory.chat(to, signal);
    const after = begun.at + api.aheadMs - CLOCKS_DIFFER_MS;
    const rows = await api.messages({ chatGuid, after }, signal);
    const isIt = (row: WireRow) => {
      const isOther = !row.isFromMe || row.associatedMessageType != null || row.error !== 0;
      // It may have been heard, and claimed, before its answer was missed.
      return !isOther && (sent.byId(row.guid)?.key ?? claim(this.#parts, row, to.chatId)) === begun.key;
    };
    return rows.find(isIt) ?? null;
  }

  #noteSent({ key, note }: Sent<Note>, row: SentRow): SendReceipt {
    const { sent, reports, liveness } = this.#parts;
    if (row.error !== 0) throw errorOfCode(row.error);
    liveness.messages();
    sent.made(key, row.guid, { ...note, dateCreated: row.dateCreated });
    reports.watch(row.guid);
    reports.say(row.guid, fateOf(row)).catch(() => {});
    return { messageId: row.guid, sentAt: row.dateCreated };
  }
}

/** What the server calls a send: while it is busy with that, it takes nothing more under this name. */
function nameOf(key: string): string {
  return `hermes-${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

function isSame(shown: string | null | undefined, wanted: string): boolean {
  return shown?.trim() === wanted.trim();
}

function fileNameOf({ file }: Piece): string {
  return safeFileName(file?.name ?? "");
}
