import { shorten } from "../../base/shorten.ts";
import { count } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import { callSummary, foldedOutcome, type ToolOutcome } from "../../model/call-outcome.ts";
import { withReadableMarks } from "../../model/mark.ts";
import { isNotRun, type ToolCall } from "../../model/transcript.ts";
import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";
import { diffLine } from "./diff-lines.ts";

/** The longest line of a result where nobody sees how wide the screen is, in code points. */
const LONGEST_LINE = 160;

/** A call in a transcript, or where nothing is drawn: its tool and what it does. */
export function callLine(call: ToolCall, summary: string, width: number): string {
  return `· ${call.name} ${clip(callSummary(call, summary), Math.max(80, width - 20))}`;
}

/** Why a call has no result. Why a person's no kept it from running was said where it was asked. */
export function failureText(text: string): string {
  return isNotRun(text) ? "was not run" : `failed: ${clip(withReadableMarks(text), 200)}`;
}

/** All lines of an outcome: `width` cuts each of them. */
export function outcomeLines(
  { colors }: Output,
  { kind, lines }: ToolOutcome,
  width = Number.POSITIVE_INFINITY,
): Styled[] {
  return lines.map((line) => {
    const cut = shorten(line, width);
    return styled`  ${kind === "diff" ? diffLine(colors, cut) : colors.dim(cut)}`;
  });
}

/**
 * An outcome as it stays on the screen: the last lines of a text, the first ones of a change, and how many more there
 * are, with a `hint`.
 */
export function foldedLines(
  output: Output,
  outcome: ToolOutcome,
  hint = "",
): { readonly lines: Styled[]; readonly folded: number } {
  const { io, colors } = output;
  const width = io.draws ? io.columns() - 3 : LONGEST_LINE;
  const { kind, lines, folded } = foldedOutcome(outcome);
  const shown = outcomeLines(output, { kind, lines }, width);
  if (folded === 0) return { lines: shown, folded };
  const more = styled`  ${colors.dim(`… ${count(folded, "more line")}${hint}`)}`;
  return { lines: kind === "diff" ? [...shown, more] : [more, ...shown], folded };
}
