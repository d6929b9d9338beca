import { graphemeClusters } from "../base/grapheme-clusters.ts";
import { type CodeFence, firstBehind, isClosingFence, readOpeningFence } from "./fence.ts";

interface CutRange {
  /** The start of the part. */
  readonly start: number;
  /** The last possible end of the part; the text continues after it. */
  readonly furthest: number;
  readonly fences: readonly CodeFence[];
}

/** In UTF-16 units: a word that is too long may be cut up to this far before `furthest`, to avoid making a fence. */
const NEAR = 64;

/** Finds the best end for a part: after `start`, and at most `furthest`. */
export function findCut(text: string, { start, furthest, fences }: CutRange): number {
  const half = start + Math.ceil((furthest - start) / 2);
  const fenceAt = fenceFinder(fences, start, furthest);
  const earliestLine = fenceAt(furthest) === null ? half : start + 1;
  let line = 0;
  let sentence = 0;
  let codeLine = 0;
  let word = 0;
  const lineStartAt = lineStartFinder(text, start);
  // A good end is worth half a part at most; but lines of code and words are kept whole wherever possible.
  for (let at = furthest; at > start; at--) {
    if (at < half && (line || sentence || (word && earliestLine === half) || codeLine)) break;
    const last = text.charCodeAt(at - 1);
    // A fast path: after most characters there is no possible cut.
    if (last > SPACE && last < 0x80) continue;
    const isLineEnd = last === LINE_FEED;
    const isParagraph = isLineEnd && at >= half && isParagraphEnd(text, at);
    const isWordEnd = isSpace(last) && !isSpace(text.charCodeAt(at));
    const isSentence =
      at >= half && !line && !sentence && (isWordEnd || isFullWidthStop(last)) && isSentenceEnd(text, at);
    const isNews = isParagraph || isSentence || (isLineEnd && !(line && codeLine)) || (isWordEnd && !word);
    if (!isNews) continue;
    const fence = fenceAt(at);
    if (changesFences(text, at, lineStartAt(at), fence)) continue;
    if (at >= half && fence === null) {
      if (isParagraph) return at;
      if (isLineEnd) line ||= at;
      if (isSentence) sentence = at;
    }
    if (isLineEnd && at >= earliestLine) codeLine ||= at;
    if (isWordEnd) word ||= at;
  }
  if (line || sentence || codeLine || word) return line || sentence || codeLine || word;
  const lineOf = lineStartFinder(text, start);
  return characterEnd(text, start, furthest, (at) => !changesFences(text, at, lineOf(at), fenceAt(at)));
}

/**
 * Finds the best end for a part of text that is already formatted, without code fences in it: after `start`, and at most
 * `furthest`.
 */
export function findPlainCut(text: string, start: number, furthest: number): number {
  return findCut(text, { start, furthest, fences: [] });
}

/** Whether a cut at `at` would make an empty code block, cut a fence, or turn a part of a line into a fence. */
function changesFences(text: string, at: number, lineStart: number, fence: CodeFence | null): boolean {
  if (fence && (at <= fence.bodyStart || at >= fence.bodyEnd)) return true;
  if (at === lineStart) return false;
  // A fast path: most lines do not begin like a fence.
  const isHead = beginsFence(text, lineStart, at);
  const isTail = beginsFence(text, at, text.length);
  if (!isHead && !isTail) return false;
  const [tail = ""] = text.slice(at, at + LONGEST_FENCE).split("\n", 1);
  if (!fence) return (isHead && opensFence(text, lineStart, at)) || (isTail && readOpeningFence(tail) !== null);
  return (isHead && isClosingFence(text.slice(lineStart, at), fence)) || (isTail && isClosingFence(tail, fence));
}

function beginsFence(text: string, at: number, end: number): boolean {
  FENCE.lastIndex = at;
  return FENCE.test(text) && FENCE.lastIndex <= end;
}

/** Whether a line that begins like a fence opens one when it is cut at `at`: no backticks may follow the first ones. */
function opensFence(text: string, lineStart: number, at: number): boolean {
  MARKER.lastIndex = lineStart;
  const [marker = ""] = MARKER.exec(text) ?? [];
  if (!marker.endsWith("`")) return true;
  const other = text.indexOf("`", lineStart + marker.length);
  return other < 0 || other >= at;
}

const FENCE = /[ \t]{0,16}(?:`{3}|~{3})/y;
const MARKER = /[ \t]{0,16}(?:`+|~+)/y;

/** In UTF-16 units: only this much of a line is checked for being a fence. */
const LONGEST_FENCE = 1_000;

const LINE_FEED = 10;
const SPACE = 32;

function isParagraphEnd(text: string, at: number): boolean {
  return /\n\r?\n$/.test(text.slice(Math.max(0, at - 3), at)) && text.charCodeAt(at) !== LINE_FEED;
}

function isSentenceEnd(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 3), at);
  return /[。！？]$|[.!?…:;]["')\]]?\s$/.test(before) && !isSpace(text.charCodeAt(at));
}

/** 。！？ */
function isFullWidthStop(code: number): boolean {
  return code === 0x3002 || code === 0xff01 || code === 0xff1f;
}

/** The last end of a character where a cut makes no fence; if there is none nearby, the last end of a character. */
function characterEnd(text: string, start: number, furthest: number, isGood: (at: number) => boolean): number {
  const last = lastCharacterEnd(text, start, furthest);
  for (let at = last, next = at; at >= Math.max(start + 1, furthest - NEAR); at = next) {
    if (isGood(at)) return at;
    next = lastCharacterEnd(text, start, at - 1);
    if (next >= at) break;
  }
  return last;
}

/** The last offset up to `furthest` that is not within a grapheme cluster, or at least not within a code point. */
function lastCharacterEnd(text: string, start: number, furthest: number): number {
  if (isPlain(text, furthest - 1) && isPlain(text, furthest)) return Math.max(furthest, start + 1);
  const from = windowStart(text, start, furthest);
  const character = graphemeClusters(text.slice(from, furthest + WINDOW)).containing(furthest - from);
  if (character && (character.index > 0 || from > start)) return from + character.index;
  const at = Math.max(furthest, start + 1);
  const isPair = /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
  if (!isPair) return at;
  return at - 1 > start ? at - 1 : at + 1;
}

/** In UTF-16 units: the segmenter gets only this much text, since it copies its input. */
const WINDOW = 64;

/** The nearest offset before `furthest` where a character certainly begins; else `start`. */
function windowStart(text: string, start: number, furthest: number): number {
  for (let at = furthest - 1; at > Math.max(start, furthest - WINDOW); at--) {
    if (isPlain(text, at - 1) && isPlain(text, at)) return at;
  }
  return start;
}

/** Whether the character at `at` is printable ASCII: next to another one, it is a character of its own. */
function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= SPACE && code < 0x7f;
}

/** Makes a lookup of fences within the range, optimised for offsets close to the previous one. */
function fenceFinder(fences: readonly CodeFence[], start: number, furthest: number): (at: number) => CodeFence | null {
  const near = fences.slice(firstBehind(fences, start), firstBehind(fences, furthest) + 1);
  if (near.length === 0) return () => null;
  let index = near.length - 1;
  return (at) => {
    while ((near[index - 1]?.end ?? 0) > at) index--;
    while ((near[index]?.end ?? at + 1) <= at) index++;
    const fence = near[index];
    return fence && fence.start < at ? fence : null;
  };
}

/** Makes a lookup of the start of the line before `at`, for descending offsets. */
function lineStartFinder(text: string, start: number): (at: number) => number {
  let found = Number.POSITIVE_INFINITY;
  return (at) => {
    if (at <= found) found = Math.max(start, text.lastIndexOf("\n", at - 1) + 1);
    return found;
  };
}

/** The characters that `\s` matches. */
function isSpace(code: number): boolean {
  if (code < 0x80) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(String.fromCharCode(code));
}
