import type { TextStyle } from "./dialect/dialect.ts";
import type { TextRange } from "./dialect/range-writer.ts";
import { codeSpan } from "./escape-markdown.ts";
import { fenced } from "./fence.ts";
import { markWords } from "./mark-words.ts";

/** What a platform says of a range of a text. */
export type RangeMark =
  | TextStyle
  | "code"
  | "quote"
  | { readonly codeBlock: string | undefined }
  | { readonly link: string }
  /** Text that stands in place of the range, such as a name in place of a mention. */
  | { readonly shown: string };

/** Ranges of a message beyond this number are ignored: nobody writes more, and anybody may send a message. */
const MOST_RANGES = 1_000;

const MARKS = { strong: "**", emphasis: "_", delete: "~~" } as const;

/**
 * Writes a text that came with ranges beside it, in UTF-16 units, as Markdown. The words themselves stay as they were
 * typed: what looks like Markdown in them was mostly meant so. Ranges may lie in any order, cross, and reach beyond the
 * text.
 *
 * @example
 * rangesToMarkdown("a bold word", [{ start: 2, length: 4, style: "strong" }]); // "a **bold** word"
 */
export function rangesToMarkdown(text: string, ranges: readonly TextRange<RangeMark>[]): string {
  const spans = ranges.slice(0, MOST_RANGES).map((range) => spanIn(text, range));
  return convert(text, nested(joined(spans)), 0, text.length).toWellFormed();
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly mark: RangeMark;
}

/** Clamps a range to the text, and never cuts a surrogate pair. */
function spanIn(text: string, { start, length, style: mark }: TextRange<RangeMark>): Span {
  const halves = (at: number) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
  const clamped = (at: number) => Math.min(Math.max(Math.trunc(at), 0), text.length);
  const [from, to] = [clamped(start), clamped(start + length)];
  return { start: halves(from) ? from - 1 : from, end: halves(to) ? to + 1 : to, mark };
}

/** Joins ranges of one style that touch or overlap: adjacent marks would be no Markdown. */
function joined(spans: readonly Span[]): Span[] {
  const byStyle = new Map<RangeMark, Span[]>();
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const before = byStyle.get(span.mark) ?? [];
    const last = before.at(-1);
    if (last === undefined || last.end < span.start || span.mark === "quote") before.push(span);
    else before[before.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    byStyle.set(span.mark, before);
  }
  return [...byStyle.values()].flat();
}

/** Orders ranges, and cuts each that crosses the end of an earlier one there: Markdown can only nest. */
function nested(spans: readonly Span[]): Span[] {
  const done: Span[] = [];
  const todo = [...spans];
  const byPlace = (a: Span, b: Span) => a.start - b.start || b.end - a.end;
  for (let next = todo.sort(byPlace).shift(); next !== undefined; next = todo.sort(byPlace).shift()) {
    const span = next;
    const crossed = done.find(({ start, end }) => start <= span.start && end > span.start && end < span.end);
    if (crossed === undefined) done.push(span);
    else todo.push({ ...span, end: crossed.end }, { ...span, start: crossed.end });
  }
  return done;
}

function convert(text: string, spans: readonly Span[], from: number, to: number): string {
  let markdown = "";
  let at = from;
  for (const [index, span] of spans.entries()) {
    const end = Math.min(span.end, to);
    if (span.start < at || end <= span.start) continue;
    const inner = spans.slice(index + 1).filter((other) => other.start < end);
    markdown += text.slice(at, span.start);
    markdown += write(span.mark, text.slice(span.start, end), () => convert(text, inner, span.start, end));
    at = end;
  }
  return markdown + text.slice(at, to);
}

function write(mark: RangeMark, raw: string, inner: () => string): string {
  if (mark === "quote") return `> ${inner().replaceAll("\n", "\n> ")}`;
  if (mark === "code" && !raw.includes("\n")) return codeSpan(raw);
  if (mark === "code") return fenced(raw.replace(/\n$/, ""));
  if (typeof mark === "string") return markWords(inner(), MARKS[mark]);
  if ("codeBlock" in mark) return fenced(raw.replace(/\n$/, ""), mark.codeBlock);
  return "link" in mark ? `[${inner()}](${mark.link})` : mark.shown;
}
