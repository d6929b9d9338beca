import { type CodeFence, fenceAround, findFences } from "./fence.ts";
import { findCut } from "./find-cut.ts";
import { reach, sizeOf, type TextUnit } from "./text-unit.ts";

/** How long a part may be, and how that is measured. */
export interface SplitOptions {
  /** The maximum length of a part, in `unit`. A single character that is larger becomes a part of its own. */
  readonly length: number;
  readonly unit: TextUnit;
}

/**
 * Splits Markdown into parts that each fit a message: between paragraphs if possible, else between lines, sentences,
 * words or grapheme clusters. A code block that is cut is closed at the end of a part and opened again, with its
 * language, at the beginning of the next. Apart from those added lines, the parts join to the original. An empty text has
 * no parts.
 *
 * @example
 * ```ts
 * splitText("One.\n\nTwo.", { length: 6, unit: "utf16" }); // ["One.\n\n", "Two."]
 * ```
 */
export function splitText(text: string, options: SplitOptions): string[] {
  return splitParts(text, options).map(({ reopened, own, closed }) => reopened + own + closed);
}

/** A part: its piece of the original, and the lines added around it to reopen and close a code block. */
export interface TextPart {
  readonly reopened: string;
  readonly own: string;
  readonly closed: string;
}

export function splitParts(text: string, { length, unit }: SplitOptions): TextPart[] {
  if (!(length >= 1)) throw new RangeError(`A part cannot have the length ${length}.`);
  // Most texts fit.
  if (reach(text, 0, length, unit) === text.length) return text === "" ? [] : [{ reopened: "", own: text, closed: "" }];
  const fences = findFences(text).filter(({ marker }) => 2 * (marker.length + 1) <= length / 2);
  const parts: TextPart[] = [];
  let start = 0;
  while (start < text.length) {
    const reopened = reopening(fenceAround(fences, start), length, unit);
    const budget = length - sizeOf(reopened, unit);
    const furthest = reach(text, start, budget, unit);
    if (furthest >= text.length) {
      parts.push({ reopened, own: text.slice(start), closed: "" });
      break;
    }
    const { cut, closed } = cutWithin(text, { start, furthest, budget, fences, unit });
    parts.push({ reopened, own: text.slice(start, cut), closed });
    start = cut;
  }
  return parts;
}

/** Finds a cut whose part fits including the line that closes an open code block. */
function cutWithin(
  text: string,
  range: { start: number; furthest: number; budget: number; fences: readonly CodeFence[]; unit: TextUnit },
): { cut: number; closed: string } {
  const { start, budget, fences, unit } = range;
  let furthest = range.furthest;
  for (;;) {
    const cut = findCut(text, { start, furthest, fences });
    const fence = fenceAround(fences, cut);
    const closed = fence === null ? "" : `${text[cut - 1] === "\n" ? "" : "\n"}${fence.marker}`;
    const room = reach(text, start, budget - closed.length, unit);
    // A single character that does not fit is a part all the same.
    if (cut <= room || furthest <= start + 1) return { cut, closed };
    furthest = Math.max(start + 1, Math.min(room, furthest - 1));
  }
}

/** The line that opens the code block again; without the language if that would take up half of the part. */
function reopening(fence: CodeFence | null, length: number, unit: TextUnit): string {
  if (fence === null) return "";
  const whole = `${fence.marker}${fence.info}\n`;
  return sizeOf(whole, unit) + fence.marker.length + 1 <= length / 2 ? whole : `${fence.marker}\n`;
}
