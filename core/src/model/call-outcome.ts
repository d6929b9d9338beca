import { stripVTControlCharacters } from "node:util";
import type { CallOutcome, ShownCall } from "../adapter/session-history.ts";
import { withNumbers } from "../base/hidden-text.ts";
import { isNotRun, TOOL_INTERRUPTED, type ToolCall } from "./transcript.ts";

/** How many lines of a result are shown at once, and of a change to a file. */
const RESULT_LINES = 3;
const DIFF_LINES = 12;

/** How many lines of a running call's output are shown. */
const RUNNING_LINES = 4;

/** What a call does, on one line; its input where no tool says so. */
export function callSummary({ input }: Pick<ToolCall, "input">, summary: string): string {
  return summary === "" ? JSON.stringify(input ?? {}) : withNumbers(summary);
}

/** What came of a call: what it put out, or the change that it made to a file. */
export type ToolOutcome = Pick<CallOutcome, "kind" | "lines">;

export function outcomeOf(text: string, diff: string | null): ToolOutcome {
  // The first line of a difference is the file's name, which stands above it.
  if (diff !== null) return { kind: "diff", lines: diff.trimEnd().split("\n").slice(1) };
  return { kind: "text", lines: linesOf(text) };
}

function linesOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .trimEnd()
    .split(/\r?\n|\r/);
}

/** The end of what a running call has put out, as it is shown: its last lines that are not empty. */
export function lastLines(text: string, most = RUNNING_LINES): string[] {
  const said = linesOf(text).filter((line) => line.trim() !== "");
  return said.slice(Math.max(0, said.length - Math.min(most, RUNNING_LINES)));
}

/** The part of an outcome that stays in sight: the last lines of a text, the first ones of a change. */
export function foldedOutcome({ kind, lines }: ToolOutcome): CallOutcome {
  const folded = Math.max(0, lines.length - (kind === "diff" ? DIFF_LINES : RESULT_LINES));
  return { kind, folded, lines: kind === "diff" ? lines.slice(0, lines.length - folded) : lines.slice(folded) };
}

/** How a call stands, by its result and whether it has begun. */
export function callState(result: string | null, hasBegun: boolean): ShownCall["state"] {
  if (result === null) return hasBegun ? "runs" : "waits";
  if (isNotRun(result)) return "not-run";
  return result === TOOL_INTERRUPTED || result.startsWith("Error: ") ? "failed" : "done";
}
