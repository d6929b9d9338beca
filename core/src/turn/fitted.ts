import { cutMiddle } from "../base/cut-middle.ts";
import { mark } from "../model/mark.ts";
import { tokensOf } from "../model/tokens.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { firstKept } from "./steps.ts";

/** The share of a window that one message may take. */
const OF_WINDOW = 0.25;

/** UTF-16 units that are left of an old result. */
const OLD_RESULT = 2_000;

/** How much of a message is left when even the last steps do not fit, in UTF-16 units. */
const HARDER = [8_000, 2_000, 500];

/** Cuts the middle out of every message that is longer than a quarter of the window. */
export function cutLongest(rows: readonly TranscriptMessage[], window: number): readonly TranscriptMessage[] {
  return shortened(rows, Math.floor(window * OF_WINDOW * 4), () => true);
}

/** Shortens the results of tools before the last three steps. */
export function shortenOldResults(rows: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  const first = firstKept(rows);
  return shortened(rows, OLD_RESULT, ({ role }, at) => role === "tool" && at < first);
}

/** Shortens messages until the rest has `room` tokens: results first, then all but what the turn answers. */
export function squeezed(
  rows: readonly TranscriptMessage[],
  room: number,
  isRequest: (row: TranscriptMessage) => boolean,
): readonly TranscriptMessage[] {
  let left = shortenOldResults(rows);
  let tokens = tokensOf(left);
  for (const isShortened of [
    ({ role }: TranscriptMessage) => role === "tool",
    (row: TranscriptMessage) => !isRequest(row),
  ]) {
    for (const longest of HARDER) {
      if (tokens <= room) return left;
      const shorter = shortened(left, longest, isShortened);
      if (shorter !== left) tokens = tokensOf(shorter);
      left = shorter;
    }
  }
  return left;
}

/** Whether a model is sent files with these messages. */
export function hasFiles(rows: readonly TranscriptMessage[]): boolean {
  return rows.some(isWithFiles);
}

/** Names the files of people instead of sending them. */
export function withoutFiles(rows: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
  return rows.map((row) => (isWithFiles(row) ? { ...row, files: undefined, text: `${row.text}${named(row)}` } : row));
}

function isWithFiles({ role, files = [] }: TranscriptMessage): boolean {
  return role === "user" && files.length > 0;
}

function named({ files = [] }: TranscriptMessage): string {
  const line = (name: string) => mark(`${JSON.stringify(name)} is not shown to you: the request is too long with it`);
  return files.map(({ name }) => `\n${line(name)}`).join("");
}

/** The same rows where none of them is longer. */
function shortened(
  rows: readonly TranscriptMessage[],
  longest: number,
  isMeant: (row: TranscriptMessage, at: number) => boolean,
): readonly TranscriptMessage[] {
  const isLonger = (row: TranscriptMessage, at: number) => row.text.length > longest && isMeant(row, at);
  if (!rows.some(isLonger)) return rows;
  return rows.map((row, at) =>
    isLonger(row, at) ? { ...row, text: cutMiddle(row.text, longest, gap), providerParts: undefined } : row,
  );
}

function gap(cut: number): string {
  return mark(`${cut.toLocaleString("en")} characters are left out here; the transcript has them`);
}
