import { stripVTControlCharacters } from "node:util";
import { withNumbers } from "../../base/hidden-text.ts";
import { count } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import { withReadableMarks } from "../../model/mark.ts";
import { isNotRun, type ToolCall } from "../../model/transcript.ts";
import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";
import { diffLine } from "./diff-lines.ts";

/** How many lines of a result are shown, and of a change to a file. */
const RESULT_LINES = 3;
const DIFF_LINES = 12;

/** The longest line of a result where nobody sees how wide the screen is, in code points. */
const LONGEST_LINE = 160;

/** What a call does, on one line; its input where no tool says so. */
export function callSummary({ input }: Pick<ToolCall, "input">, summary: string): string {
  return summary === "" ? JSON.stringify(input ?? {}) : withNumbers(summary);
}

/** A call in a transcript, or where nothing is drawn: its tool and what it does. */
export function callLine(call: ToolCall, summary: string, width: number): string {
  return `· ${call.name} ${clip(callSummary(call, summary), Math.max(80, width - 20))}`;
}

/** Why a call has no result. Why a person's no kept it from running was said where it was asked. */
export function failureText(text: string): string {
  return isNotRun(text) ? "was not run" : `failed: ${clip(withReadableMarks(text), 200)}`;
}

/** What came of a call: what it put out, or the change that it made to a file. */
export interface ToolOutcome {
  readonly kind: "text" | "diff";
  readonly lines: readonly string[];
}

export function outcomeOf(text: string, diff: string | null): ToolOutcome {
  // The first line of a difference is the file's name, which stands above it.
  if (diff !== null) return { kind: "diff", lines: diff.trimEnd().split("\n").slice(1) };
  return {
    kind: "text",
    lines: stripVTControlCharacters(text)
      .trimEnd()
      .split(/\r?\n|\r/),
  };
}

/** All lines of an outcome: `width` cuts each of them. */
export function outcomeLines(
  { colors }: Output,
  { kind, lines }: ToolOutcome,
  width = Number.POSITIVE_INFINITY,
): Styled[] {
  return lines.map((line) => {
    const cut = [...line].length > width ? `${[...line].slice(0, width - 1).join("")}…` : line;
    return styled`  ${kind === "diff" ? diffLine(colors, cut) : colors.dim(cut)}`;
  });
}

/** An outcome as it stays on the screen: the last lines of a text, the first ones of a change, and how many more there are, with a `hint`. */
export function foldedLines(
  output: Output,
  outcome: ToolOutcome,
  hint = "",
): { readonly lines: Styled[]; readonly folded: number } {
  const { io, colors } = output;
  const width = io.draws ? io.columns() - 3 : LONGEST_LINE;
  const most = outcome.kind === "diff" ? DIFF_LINES : RESULT_LINES;
  const all = outcomeLines(output, outcome, width);
  const folded = Math.max(0, all.length - most);
  if (folded === 0) return { lines: all, folded };
  const more = styled`  ${colors.dim(`… ${count(folded, "more line")}${hint}`)}`;
  return { lines: outcome.kind === "diff" ? [...all.slice(0, most), more] : [more, ...all.slice(folded)], folded };
}
