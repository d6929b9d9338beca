import { findPlainCut } from "../find-cut.ts";
import type { SplitOptions } from "../split-text.ts";
import { reach } from "../text-unit.ts";
import type { RangedText, TextRange } from "./range-writer.ts";

/** How long a part may be, and how many ranges it may have. */
export interface SplitRangesOptions extends SplitOptions {
  /** The maximum number of ranges in a part; unlimited by default. */
  readonly mostRanges?: number;
}

/**
 * Splits text with ranges into parts that each fit a message, at the best positions. The texts join to the original,
 * except for parts of only spaces, which are left out. A range that spans a cut is in both parts.
 */
export function splitRanges<Style>(
  { text, ranges }: RangedText<Style>,
  { length, unit, mostRanges = Number.POSITIVE_INFINITY }: SplitRangesOptions,
): RangedText<Style>[] {
  const parts: RangedText<Style>[] = [];
  let next = 0;
  /** Ranges that began in an earlier part and continue. */
  let open: TextRange<Style>[] = [];
  for (let start = 0; start < text.length; ) {
    const tooMany = ranges[next + mostRanges - open.length];
    const byLength = reach(text, start, length, unit);
    const furthest = tooMany && tooMany.start > start ? Math.min(byLength, tooMany.start) : byLength;
    const end = furthest >= text.length ? text.length : findPlainCut(text, start, furthest);
    const begun = open;
    for (let range = ranges[next]; range && range.start < end; range = ranges[++next]) begun.push(range);
    parts.push({ text: text.slice(start, end), ranges: begun.flatMap((range) => within(range, start, end)) });
    open = begun.filter((range) => range.start + range.length > end);
    start = end;
  }
  return parts.filter((part) => part.text.trim() !== "");
}

/** Clips a range to a part of the text. */
function within<Style>(range: TextRange<Style>, start: number, end: number): TextRange<Style>[] {
  const from = Math.max(range.start, start);
  const to = Math.min(range.start + range.length, end);
  return from < to ? [{ ...range, start: from - start, length: to - from }] : [];
}
