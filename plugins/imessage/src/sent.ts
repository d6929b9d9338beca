import { type Fate, type Sent, sleep } from "@hermes/core";
import type { Tapbacks } from "./choices.ts";
import type { ConnectionParts } from "./connection.ts";
import { errorOfCode } from "./errors.ts";
import type { SentRow, WireRow } from "./wire.ts";

/** What is kept with a message that Hermes sent. */
export interface Note {
  readonly tapbacks?: Tapbacks | undefined;
  /** Tapbacks on it that Hermes has. */
  readonly pressed?: readonly string[];
  /** When Messages wrote it, by the Mac's clock. */
  readonly dateCreated?: number;
}

/** The Mac's clock may differ from what it was found to be by as much, in milliseconds. */
export const CLOCKS_DIFFER_MS = 60_000;

/** The second row of a message to oneself is written with the first, or as soon after it, in milliseconds. */
const TOGETHER_MS = 1_000;
const COPIED_WITHIN_MS = 10_000;

/** A row with the words of a message that was begun longer ago, in milliseconds, is another one. */
const WRITTEN_WITHIN_MS = 15 * 60_000;

/** The server sends no longer than that ("MessagePromise"), in milliseconds: later words are a person's own. */
export const SENT_WITHIN_MS = 130_000;

/**
 * What a message says, by which it is found again: its letters and digits, since Messages and the server change the
 * rest.
 */
export function contentOf(text: string, fileName?: string): string {
  return fileName === undefined ? text.replaceAll(/[^\p{L}\p{N}]/gu, "") || text.trim() : `\0${fileName}`;
}

/** How far back somebody is looked for who writes in a chat, in milliseconds. */
const LOOKS_BACK_MS = 7 * 24 * 60 * 60_000;

/**
 * The key of what Hermes sent as the row that is in the chat `chatId`: known by its id or, while that is not known, by its
 * words. From then on it is known by its id, and the same words in another row are somebody else's. A message to oneself
 * has a second row, which seems to come from a person: whatever the account's addresses are, that is known, too.
 */
export function claim(parts: Pick<ConnectionParts, "sent" | "api">, row: WireRow, chatId: string): string | undefined {
  const { sent } = parts;
  const { guid, isFromMe, dateCreated } = row;
  const known = sent.byId(guid)?.key;
  if (known !== undefined) return known;
  const begun = begunAs(parts, row, chatId);
  if (begun && isFromMe) sent.made(begun.key, guid, { ...begun.note, dateCreated });
  else if (begun) sent.change(begun.key, { otherIds: [guid] });
  return begun?.key;
}

/**
 * Whether Hermes sent what is in the row of a private chat. Where somebody else is seen to write, a row that came is
 * theirs, in whatever words: only one that is written together with Hermes' own is not. In a chat that has just begun that
 * is seen once all rows of a message to oneself would be there, for which it waits.
 */
export async function isSent(parts: SentParts, row: WireRow, chatId: string): Promise<boolean> {
  const { sent, api, deps } = parts;
  const { guid, isFromMe, dateCreated } = row;
  const begun = isFromMe || sent.byId(guid) ? undefined : begunAs(parts, row, chatId);
  const isTogether = Math.abs(dateCreated - (begun?.note?.dateCreated ?? 0)) < TOGETHER_MS;
  if (begun && !isTogether) {
    const rows = await rowsOf(parts, row);
    if (isOthers(parts, rows, row)) return false;
    // The server tells the Mac's time in whole seconds.
    const wholeAt = dateCreated + COPIED_WITHIN_MS - api.aheadMs + 2_000;
    const waitMs = Math.min(wholeAt - deps.clock.now(), COPIED_WITHIN_MS + 2_000);
    if (waitMs > 0 && !rows.some((one) => one.isFromMe && isAlike(one, row, TOGETHER_MS))) {
      await sleep(deps.clock, waitMs, deps.scope.signal);
      deps.scope.signal.throwIfAborted();
      if (isOthers(parts, await rowsOf(parts, row), row)) return false;
    }
  }
  return claim(parts, row, chatId) !== undefined;
}

type SentParts = Pick<ConnectionParts, "sent" | "api" | "deps">;

/** The messages of a row's chat, oldest first; none where they cannot be had. */
async function rowsOf({ api }: SentParts, { chats: [chat], dateCreated }: WireRow): Promise<readonly WireRow[]> {
  if (chat === undefined) return [];
  const asked = { chatGuid: chat.guid, after: dateCreated - LOOKS_BACK_MS - COPIED_WITHIN_MS };
  const rows = await api.messages(asked).catch((): readonly WireRow[] => []);
  const isMessage = ({ itemType, associatedMessageType: tapback, text }: WireRow) =>
    (itemType ?? 0) === 0 && tapback == null && contentOf(text ?? "") !== "";
  return rows.filter(isMessage).toSorted((one, other) => one.dateCreated - other.dateCreated);
}

/**
 * Whether somebody else writes in a chat: a message there is a row that came, or one that the account sent, while one to
 * oneself is a row of each kind, whatever the account's addresses are.
 */
function isOthers({ sent, api, deps }: SentParts, rows: readonly WireRow[], row: WireRow): boolean {
  const from = row.dateCreated - LOOKS_BACK_MS;
  // The second row of a message to oneself may take a while.
  const until = deps.clock.now() + api.aheadMs - COPIED_WITHIN_MS;
  return withoutTwin(rows).some(({ guid, isFromMe, dateCreated, dateEdited, error }) => {
    const isOwnCopy = !isFromMe && sent.byId(guid) !== null;
    return isWithin(dateCreated, from, until) && dateEdited == null && error === 0 && !isOwnCopy;
  });
}

/** The rows that are no message to oneself: each row that came is taken for the second of one row at most. */
function withoutTwin(rows: readonly WireRow[]): readonly WireRow[] {
  const mine = new Set(rows.filter(({ isFromMe }) => isFromMe));
  let came = rows.filter(({ isFromMe }) => !isFromMe);
  const isSame = (one: WireRow, other: WireRow) => isAlike(one, other, COPIED_WITHIN_MS);
  // Its words may be others by now, or changed on the way.
  const maybe = (one: WireRow, other: WireRow) => {
    const isEdited = one.dateEdited != null || other.dateEdited != null;
    return Math.abs(one.dateCreated - other.dateCreated) < (isEdited ? COPIED_WITHIN_MS : TOGETHER_MS);
  };
  for (const isTwin of [isSame, maybe]) {
    came = came.filter((one) => {
      const twin = [...mine].find((other) => isTwin(one, other));
      if (twin) mine.delete(twin);
      return twin === undefined;
    });
  }
  return [...mine, ...came];
}

function isAlike(one: WireRow, other: WireRow, withinMs: number): boolean {
  const isNear = Math.abs(one.dateCreated - other.dateCreated) < withinMs;
  return isNear && contentOf(one.text ?? "") === contentOf(other.text ?? "");
}

function begunAs(
  { sent, api }: Pick<ConnectionParts, "sent" | "api">,
  { isFromMe, dateCreated, text, attachments }: WireRow,
  chatId: string,
): Sent<Note> | undefined {
  return sent.alike(chatId, contentOf(text ?? "", attachments[0]?.transferName ?? undefined)).find((one) => {
    if (isFromMe ? one.madeId !== null : one.otherIds !== undefined) return false;
    const first = one.note?.dateCreated;
    if (first !== undefined) return isWithin(dateCreated - first, -TOGETHER_MS, COPIED_WITHIN_MS);
    const longest = isFromMe ? WRITTEN_WITHIN_MS : SENT_WITHIN_MS;
    return isWithin(dateCreated - api.aheadMs - one.at, -CLOCKS_DIFFER_MS, longest);
  });
}

function isWithin(ms: number, from: number, to: number): boolean {
  return ms > from && ms < to;
}

/** What became of a message, as its row tells: the server answers before Messages knows. */
export function fateOf({ error, dateDelivered }: SentRow): Fate {
  if (error !== 0) return errorOfCode(error);
  return dateDelivered == null ? "unknown" : "arrived";
}
