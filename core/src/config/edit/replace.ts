import type * as t from "@babel/types";
import { CannotEdit } from "../edit-config.ts";
import type { Style } from "./code-style.ts";
import { spanOf } from "./syntax.ts";

/** A text with the places of its tokens, comments left out. */
export interface Parsed {
  readonly text: string;
  readonly tokens: readonly Span[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Text that takes the place of what stands between two places. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function applied(text: string, replacements: readonly Replacement[]): string {
  return [...replacements]
    .sort((a, b) => b.start - a.start)
    .reduce((edited, { start, end, text }) => edited.slice(0, start) + text + edited.slice(end), text);
}

/** Appends an element to a list or an object. */
export function addElement(
  { text, tokens }: Parsed,
  elements: readonly (t.Node | null)[],
  { start, end }: Span,
  written: (indentation: string) => string,
  style: Style,
): Replacement {
  const bracket = end - 1;
  const last = tokens.findLast((token) => token.start > start && token.end < end);
  if (last === undefined) return addFirst(text, { start, end: bracket }, written, style);
  const hasComma = text.slice(last.start, last.end) === ",";
  const behind = text.slice(last.end, bracket);
  if (!/\n[ \t]*$/.test(behind)) {
    if (behind.trim() !== "") throw new CannotEdit("a comment stands behind the last one");
    const base = indentationAt(text, start);
    const entry = written(base);
    const isOneLine = !text.slice(start, end).includes("\n");
    if (isOneLine && entry.includes("\n")) return onLines(text, elements, { start, end: bracket }, written, style);
    return { start: last.end, end: bracket, text: `${hasComma ? " " : ", "}${entry}${isOneLine ? behind : ""}` };
  }
  const own = indentationAt(text, spanOf(elements[0]).start);
  // The comma right behind the last one, the new one below the comments that follow it.
  const rest = behind.trimEnd();
  return {
    start: last.end,
    end: last.end + rest.length,
    text: `${hasComma ? "" : ","}${rest}${style.lineEnd}${own}${written(own)}${hasComma ? "," : ""}`,
  };
}

/** The first element, below what comments stand between the brackets. */
function addFirst(
  text: string,
  { start, end }: Span,
  written: (indentation: string) => string,
  { lineEnd, indentation, isJson }: Style,
): Replacement {
  const between = text.slice(start + 1, end).trimEnd();
  if (between !== "" && !text.slice(start, end).includes("\n")) throw new CannotEdit("a comment stands in it");
  const base = indentationAt(text, start);
  const entry = `${base}${indentation}${written(base + indentation)}${isJson ? "" : ","}`;
  return { start: start + 1 + between.length, end, text: `${lineEnd}${entry}${lineEnd}${base}` };
}

/** One more element of a list that stood on one line, where it does not fit there. */
function onLines(
  text: string,
  elements: readonly (t.Node | null)[],
  { start, end }: Span,
  written: (indentation: string) => string,
  { lineEnd, indentation, isJson }: Style,
): Replacement {
  const base = indentationAt(text, start);
  const inner = base + indentation;
  const sources = elements.map((element) => text.slice(spanOf(element).start, spanOf(element).end));
  const lines = [...sources, written(inner)].map((line) => `${inner}${line}`).join(`,${lineEnd}`);
  return { start: start + 1, end, text: `${lineEnd}${lines}${isJson ? "" : ","}${lineEnd}${base}` };
}

/** Takes an element out, with its comma and the lines that only it stood on. */
export function withoutElement({ text, tokens }: Parsed, element: t.Node, within: Span): Replacement {
  const { start, end } = spanOf(element);
  const inner = tokens.filter((token) => token.start > within.start && token.end < within.end);
  const isComma = (token: Span | undefined) => token !== undefined && text.slice(token.start, token.end) === ",";
  const next = inner.find((token) => token.start >= end);
  const before = inner.findLast((token) => token.end <= start);
  if (next !== undefined && isComma(next)) return lineOf(text, { start, end: next.end });
  if (before !== undefined && isComma(before) && text.slice(before.end, start).trim() === "") {
    return { start: before.start, end, text: "" };
  }
  return lineOf(text, { start, end });
}

/** Takes out a part of the text, and its lines where nothing else stands on them. */
export function lineOf(text: string, { start, end }: Span): Replacement {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const rest = /^[ \t]*\r?\n?/.exec(text.slice(end))?.[0] ?? "";
  const isAlone =
    text.slice(lineStart, start).trim() === "" && (rest.endsWith("\n") || end + rest.length === text.length);
  if (isAlone) return { start: lineStart, end: end + rest.length, text: "" };
  const space = /^[ \t]+/.exec(text.slice(end))?.[0].length ?? 0;
  return { start, end: end + space, text: "" };
}

export function indentationAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
