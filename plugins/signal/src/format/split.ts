import { findPlainCut } from "@hermes/core/markdown";
import type { StyledRange, StyledText } from "./styled-text.ts";

/**
 * The longest text of a message, after formatting, in bytes of UTF-8. Clients drop a message with more than 2,048 without
 * a word ("MAX_INLINE_BODY_SIZE_BYTES"); signal-cli, from 2,000 on in older versions, puts the whole text into a file of
 * which clients show the beginning.
 */
export const TEXT_LIMIT = { length: 2000, unit: "bytes" } as const;

const encoder = new TextEncoder();
const room = new Uint8Array(TEXT_LIMIT.length);

/** Cuts styled text into messages, at the best places; the texts join to the original. */
export function splitStyled({ text, ranges }: StyledText): StyledText[] {
  const parts: StyledText[] = [];
  for (let start = 0; start < text.length; ) {
    // No more units than bytes fit, and of a pair never one alone.
    const { read } = encoder.encodeInto(text.slice(start, start + room.length), room);
    const furthest = start + read;
    const end = furthest >= text.length ? text.length : findPlainCut(text, start, furthest);
    parts.push({ text: text.slice(start, end), ranges: ranges.flatMap((range) => within(range, start, end)) });
    start = end;
  }
  // A message of nothing but spaces says nothing.
  return parts.filter((part) => part.text.trim() !== "");
}

/** The part of a range that lies in a piece of the text. */
function within({ style, ...range }: StyledRange, start: number, end: number): StyledRange[] {
  const from = Math.max(range.start, start);
  const to = Math.min(range.start + range.length, end);
  return from < to ? [{ style, start: from - start, length: to - from }] : [];
}
