import { codeSpan, fenced, markWords } from "@hermes/core/markdown";
import type { WireMention, WireTextStyle } from "./envelope.ts";

/** A mention, and how it is to be read. */
export interface NamedMention extends Pick<WireMention, "start" | "length"> {
  readonly shown: string;
}

type Place = Pick<WireTextStyle, "start" | "length">;

interface Range {
  readonly start: number;
  readonly end: number;
  /** A style by Signal's name, or what stands in place of the text. */
  readonly is: { readonly style: string } | { readonly shown: string };
}

interface StyledRange extends Range {
  readonly is: { readonly style: string };
}

/** Styles, and mentions, of one message that are looked at: nobody writes more, and anybody may send a message. */
const MOST_RANGES = 500;

/**
 * What a person wrote, with Signal's styles as Markdown ("BodyRange"; in UTF-16 units). The words themselves stay as
 * they were typed: what looks like Markdown in them was mostly meant so.
 */
export function toMarkdown(
  text: string,
  styles: readonly WireTextStyle[],
  mentions: readonly NamedMention[] = [],
): string {
  const shown = mentions.slice(0, MOST_RANGES).map((one) => rangeIn(text, one, { shown: one.shown }));
  const styled = styles.slice(0, MOST_RANGES).map((one) => rangeIn(text, one, { style: one.style }));
  return convert(text, nested([...joined(styled), ...shown]), 0, text.length).toWellFormed();
}

/** A stretch of the text itself, whatever the sender's app says, and of a pair of surrogates never one alone. */
function rangeIn<Is extends Range["is"]>(text: string, { start, length }: Place, is: Is): Range & { readonly is: Is } {
  const halves = (at: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
  const clamped = (at: number) => Math.min(Math.max(Math.trunc(at), 0), text.length);
  const [from, to] = [clamped(start), clamped(start + length)];
  return { start: halves(from) ? from - 1 : from, end: halves(to) ? to + 1 : to, is };
}

/** Ranges of one style that touch or overlap are one: marks behind marks would be no Markdown. */
function joined(ranges: readonly StyledRange[]): StyledRange[] {
  const done = new Map<string, StyledRange[]>();
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const before = done.get(range.is.style) ?? [];
    const last = before.at(-1);
    if (last === undefined || last.end < range.start) before.push(range);
    else before[before.length - 1] = { ...last, end: Math.max(last.end, range.end) };
    done.set(range.is.style, before);
  }
  return [...done.values()].flat();
}

/** Ranges in order, each that crosses the end of one before it cut in two there: Markdown can only nest. */
function nested(ranges: readonly Range[]): Range[] {
  const done: Range[] = [];
  const todo = [...ranges];
  const byPlace = (a: Range, b: Range) => a.start - b.start || b.end - a.end;
  for (let next = todo.sort(byPlace).shift(); next !== undefined; next = todo.sort(byPlace).shift()) {
    const range = next;
    const crossed = done.find(({ start, end }) => start <= range.start && end > range.start && end < range.end);
    if (crossed === undefined) done.push(range);
    else todo.push({ ...range, end: crossed.end }, { ...range, start: crossed.end });
  }
  return done;
}

function convert(text: string, ranges: readonly Range[], from: number, to: number): string {
  let markdown = "";
  let at = from;
  for (const [index, range] of ranges.entries()) {
    const end = Math.min(range.end, to);
    if (range.start < at || end <= range.start) continue;
    const inner = ranges.slice(index + 1).filter((other) => other.start < end);
    markdown += text.slice(at, range.start);
    markdown += mark(range.is, text.slice(range.start, end), () => convert(text, inner, range.start, end));
    at = end;
  }
  return markdown + text.slice(at, to);
}

function mark(is: Range["is"], raw: string, inner: () => string): string {
  if ("shown" in is) return is.shown;
  switch (is.style) {
    case "BOLD":
      return markWords(inner(), "**");
    case "ITALIC":
      return markWords(inner(), "_");
    case "STRIKETHROUGH":
      return markWords(inner(), "~~");
    case "MONOSPACE":
      return raw.includes("\n") ? fenced(raw.replace(/\n$/, "")) : codeSpan(raw);
    default:
      return inner();
  }
}
