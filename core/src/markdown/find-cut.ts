import { type Fence, isClosingFence, readOpeningFence } from "./fence.ts";

interface CutRange {
  /** Where the part begins. */
  readonly start: number;
  /** The furthest that it may reach; the text goes on behind it. */
  readonly furthest: number;
  readonly fences: readonly Fence[];
}

type Boundary = (text: string, at: number) => boolean;

const PARAGRAPH: Boundary = (text, at) => /\n\r?\n$/.test(text.slice(Math.max(0, at - 3), at)) && text[at] !== "\n";
const LINE: Boundary = (text, at) => text[at - 1] === "\n";
const SENTENCE: Boundary = (text, at) =>
  /[。！？]$|[.!?…:;]["')\]]?\s$/.test(text.slice(Math.max(0, at - 3), at)) && !isSpace(text, at);
const WORD: Boundary = (text, at) => isSpace(text, at - 1) && !isSpace(text, at);

const clusters = new Intl.Segmenter();

/** The best place to end a part: behind `start`, and at `furthest` at the latest. */
export function findCut(text: string, { start, furthest, fences }: CutRange): number {
  const half = start + Math.ceil((furthest - start) / 2);
  const fenceAt = fenceFinder(fences, start, furthest);
  const outside: Boundary = (_, at) => fenceAt(at) === null;

  // A part should not end early only to end well; but a line of code and a word stay whole wherever they can.
  const wishes: readonly (readonly [Boundary, number])[] = [
    [(_, at) => PARAGRAPH(text, at) && outside(text, at), half],
    [(_, at) => LINE(text, at) && outside(text, at), half],
    [(_, at) => SENTENCE(text, at) && outside(text, at), half],
    [LINE, fenceAt(furthest) === null ? half : start + 1],
    [WORD, start + 1],
    [(_, at) => isCharacterEnd(text, start, at), Math.max(start + 1, furthest - 64)],
  ];
  for (const [isBoundary, earliest] of wishes) {
    for (let at = furthest; at >= earliest; at--) {
      if (isBoundary(text, at) && !changesFences(text, at, fenceAt(at))) return at;
    }
  }
  return lastCharacterEnd(text, start, furthest);
}

/**
 * The best place to end a part of text that is already formatted, its code marked beside it rather than in it: behind
 * `start`, and at `furthest` at the latest.
 */
export function findPlainCut(text: string, start: number, furthest: number): number {
  return findCut(text, { start, furthest, fences: [] });
}

/** Whether a cut here would make an empty code block, cut a fence, or turn a part of a line into a fence. */
function changesFences(text: string, at: number, fence: Fence | null): boolean {
  if (fence && (at <= fence.bodyStart || at >= fence.bodyEnd)) return true;
  if (text[at - 1] === "\n") return false;
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const head = text.slice(lineStart, at);
  const tail = text.slice(at, endOfLine(text, at));
  if (fence) return isClosingFence(head, fence) || isClosingFence(tail, fence);
  return readOpeningFence(head) !== null || readOpeningFence(tail) !== null;
}

function endOfLine(text: string, at: number): number {
  const lineBreak = text.indexOf("\n", at);
  return lineBreak < 0 ? text.length : lineBreak;
}

function isCharacterEnd(text: string, start: number, at: number): boolean {
  return lastCharacterEnd(text, start, at) === at;
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

/** Looks a fence up among the few that the range touches. */
function fenceFinder(fences: readonly Fence[], start: number, furthest: number): (at: number) => Fence | null {
  const near = fences.filter((fence) => fence.end > start && fence.start < furthest);
  return (at) => near.find((fence) => fence.start < at && at < fence.end) ?? null;
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at));
}
