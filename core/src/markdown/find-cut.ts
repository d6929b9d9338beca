import { type Fence, fenceAround, firstBehind, isClosingFence, readOpeningFence } from "./fence.ts";

interface CutRange {
  /** Where the part begins. */
  readonly start: number;
  /** The furthest that it may reach; the text goes on behind it. */
  readonly furthest: number;
  readonly fences: readonly Fence[];
}

const clusters = new Intl.Segmenter();

/** How far before the furthest place a word that is too long may be cut, so that it is not cut into a fence. */
const NEAR = 64;

/** The best place to end a part: behind `start`, and at `furthest` at the latest. */
export function findCut(text: string, { start, furthest, fences }: CutRange): number {
  const half = start + Math.ceil((furthest - start) / 2);
  const fenceAt = fenceFinder(fences, start, furthest);
  const earliestLine = fenceAt(furthest) === null ? half : start + 1;
  let line = 0;
  let sentence = 0;
  let codeLine = 0;
  let word = 0;
  // A part should not end early only to end well; but a line of code and a word stay whole wherever they can.
  for (let at = furthest; at > start; at--) {
    if (at < half && (line || sentence || (word && earliestLine === half) || codeLine)) break;
    const last = text.charCodeAt(at - 1);
    // Most characters end nothing.
    if (last > SPACE && last < 0x80) continue;
    const isLineEnd = last === LINE_FEED;
    const isParagraph = isLineEnd && at >= half && isParagraphEnd(text, at);
    const isWordEnd = isSpace(last) && !isSpace(text.charCodeAt(at));
    const isSentence =
      at >= half && !line && !sentence && (isWordEnd || isFullWidthStop(last)) && isSentenceEnd(text, at);
    const isNews = isParagraph || isSentence || (isLineEnd && !(line && codeLine)) || (isWordEnd && !word);
    if (!isNews) continue;
    const fence = fenceAt(at);
    if (changesFences(text, start, at, fence)) continue;
    if (at >= half && fence === null) {
      if (isParagraph) return at;
      if (isLineEnd) line ||= at;
      if (isSentence) sentence = at;
    }
    if (isLineEnd && at >= earliestLine) codeLine ||= at;
    if (isWordEnd) word ||= at;
  }
  const isGood = (at: number) => !changesFences(text, start, at, fenceAt(at));
  return line || sentence || codeLine || word || characterEnd(text, start, furthest, isGood);
}

/**
 * The best place to end a part of text that is already formatted, its code marked beside it rather than in it: behind
 * `start`, and at `furthest` at the latest.
 */
export function findPlainCut(text: string, start: number, furthest: number): number {
  return findCut(text, { start, furthest, fences: [] });
}

/** Whether a cut here would make an empty code block, cut a fence, or turn a part of a line into a fence. */
function changesFences(text: string, start: number, at: number, fence: Fence | null): boolean {
  if (fence && (at <= fence.bodyStart || at >= fence.bodyEnd)) return true;
  if (text[at - 1] === "\n") return false;
  const part = text.slice(start, at);
  const head = part.slice(part.lastIndexOf("\n") + 1);
  const [tail = ""] = text.slice(at, at + LONGEST_FENCE).split("\n", 1);
  if (fence) return isClosingFence(head, fence) || isClosingFence(tail, fence);
  return readOpeningFence(head) !== null || readOpeningFence(tail) !== null;
}

/** What begins as a fence and goes on for longer is taken for one. */
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

/** An end of a character that makes no fence; where there is none near, the last one of any kind. */
function characterEnd(text: string, start: number, furthest: number, isGood: (at: number) => boolean): number {
  const last = lastCharacterEnd(text, start, furthest);
  for (let at = last, next = at; at >= Math.max(start + 1, furthest - NEAR); at = next) {
    if (isGood(at)) return at;
    next = lastCharacterEnd(text, start, at - 1);
    if (next >= at) break;
  }
  return last;
}

/** The last place up to `furthest` that is not within a character as people see it; else not within a code point. */
function lastCharacterEnd(text: string, start: number, furthest: number): number {
  const character = clusters.segment(text.slice(start, furthest + 64)).containing(furthest - start);
  if (character && character.index > 0) return start + character.index;
  const at = Math.max(furthest, start + 1);
  const isPair = /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
  if (!isPair) return at;
  return at - 1 > start ? at - 1 : at + 1;
}

/** Looks fences up among those that the range touches. */
function fenceFinder(fences: readonly Fence[], start: number, furthest: number): (at: number) => Fence | null {
  const near = fences.slice(firstBehind(fences, start), firstBehind(fences, furthest) + 1);
  if (near.length === 0) return () => null;
  return (at) => fenceAround(near, at);
}

/** The characters that `\s` matches. */
function isSpace(code: number): boolean {
  if (code < 0x80) return code === 32 || (code >= 9 && code <= 13);
  return /\s/.test(String.fromCharCode(code));
}
