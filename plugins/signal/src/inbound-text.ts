import { codeSpan } from "@hermes/core/markdown";
import type { WireMention, WireTextStyle } from "./envelope.ts";

/** A mention, and how it is to be read. */
export interface NamedMention extends Pick<WireMention, "start" | "length"> {
  readonly shown: string;
}

interface Range {
  readonly start: number;
  readonly end: number;
  /** A style by Signal's name, or what stands in place of the text. */
  readonly is: { readonly style: string } | { readonly shown: string };
}

/**
 * What a person wrote, with Signal's styles as Markdown ("BodyRange"; in UTF-16 units). The words themselves stay as
 * they were typed: what looks like Markdown in them was mostly meant so.
 */
export function toMarkdown(
  text: string,
  styles: readonly WireTextStyle[],
  mentions: readonly NamedMention[] = [],
): string {
  const ranges: Range[] = [
    ...styles.map(({ style, start, length }) => ({ start, end: start + length, is: { style } })),
    ...mentions.map(({ shown, start, length }) => ({ start, end: start + length, is: { shown } })),
  ];
  return convert(text, nested(ranges), 0, text.length);
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
      return around(inner(), "**");
    case "ITALIC":
      return around(inner(), "_");
    case "STRIKETHROUGH":
      return around(inner(), "~~");
    case "MONOSPACE":
      return raw.includes("\n") ? fence(raw) : codeSpan(raw);
    default:
      return inner();
  }
}

/** Marks stand next to a word, or they are none. */
function around(text: string, mark: string): string {
  const words = text.trim();
  if (words === "") return text;
  const from = text.indexOf(words);
  return `${text.slice(0, from)}${mark}${words}${mark}${text.slice(from + words.length)}`;
}

function fence(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const marker = "`".repeat(longest + 1);
  return `${marker}\n${code.replace(/\n$/, "")}\n${marker}`;
}
