import type { Fate, Sent } from "@hermes/core";
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
 * theirs, in whatever words: only one that is written together with Hermes' own is not.
 */
export async function isSent(
  parts: Pick<ConnectionParts, "sent" | "api">,
  row: WireRow,
  chatId: string,
): Promise<boolean> {
  const { sent } = parts;
  const begun = row.isFromMe || sent.byId(row.guid) ? undefined : begunAs(parts, row, chatId);
  const isTogether = Math.abs(row.dateCreated - (begun?.note?.dateCreated ?? 0)) < TOGETHER_MS;
  if (begun && !isTogether && (await isOthers(parts, row))) return false;
  return claim(parts, row, chatId) !== undefined;
}

/**
 * Whether somebody else writes in the chat of a row: words came there that the account did not send, while a message to
 * oneself has a row of each kind, whatever the account's addresses are. False where that cannot be looked up.
 */
async function isOthers(
  { sent, api }: Pick<ConnectionParts, "sent" | "api">,
  { chats: [chat], dateCreated }: WireRow,
): Promise<boolean> {
  if (chat === undefined) return false;
  const asked = { chatGuid: chat.guid, after: dateCreated - LOOKS_BACK_MS };
  const rows = await api.messages(asked).catch((): readonly WireRow[] => []);
  const isTwin = (one: WireRow, other: WireRow) => {
    const isAlike = contentOf(one.text ?? "") === contentOf(other.text ?? "");
    return Math.abs(one.dateCreated - other.dateCreated) < (isAlike ? COPIED_WITHIN_MS : TOGETHER_MS);
  };
  const mine = rows.filter(({ isFromMe }) => isFromMe);
  const came = rows.filter(({ guid, isFromMe, itemType, associatedMessageType: tapback, dateEdited, ...one }) => {
    const isMessage =
      (itemType ?? 0) === 0 && tapback == null && dateEdited == null && contentOf(one.text ?? "") !== "";
    // The row that a message of the account has of its own may take a while.
    const isOld = one.dateCreated < dateCreated - COPIED_WITHIN_MS;
    return !isFromMe && isMessage && isOld && sent.byId(guid) === null;
  });
  return came.some((one) => !mine.some((other) => isTwin(one, other)));
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
