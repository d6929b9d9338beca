import type { Fate } from "@hermes/core";
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

/**
 * The key of what Hermes sent as the row that is in the chat `chatId`: known by its id or, while that is not known, by its
 * words. From then on it is known by its id, and the same words in another row are somebody else's. A message to oneself
 * has a second row, which seems to come from a person: whatever the account's addresses are, that is known, too.
 */
export function claim(
  { sent, api }: Pick<ConnectionParts, "sent" | "api">,
  row: WireRow,
  chatId: string,
): string | undefined {
  const { guid, isFromMe, dateCreated, text, attachments } = row;
  const known = sent.byId(guid)?.key;
  if (known !== undefined) return known;
  const begun = sent.alike(chatId, contentOf(text ?? "", attachments[0]?.transferName ?? undefined)).find((one) => {
    if (isFromMe ? one.madeId !== null : one.otherIds !== undefined) return false;
    const first = one.note?.dateCreated;
    if (first !== undefined) return isWithin(dateCreated - first, -TOGETHER_MS, COPIED_WITHIN_MS);
    const longest = isFromMe ? WRITTEN_WITHIN_MS : SENT_WITHIN_MS;
    return isWithin(dateCreated - api.aheadMs - one.at, -CLOCKS_DIFFER_MS, longest);
  });
  if (begun && isFromMe) sent.made(begun.key, guid, { ...begun.note, dateCreated });
  else if (begun) sent.change(begun.key, { otherIds: [guid] });
  return begun?.key;
}

function isWithin(ms: number, from: number, to: number): boolean {
  return ms > from && ms < to;
}

/** What became of a message, as its row tells: the server answers before Messages knows. */
export function fateOf({ error, dateDelivered }: SentRow): Fate {
  if (error !== 0) return errorOfCode(error);
  return dateDelivered == null ? "unknown" : "arrived";
}
