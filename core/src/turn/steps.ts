import { matchResults } from "../model/call-results.ts";
import type { TranscriptMessage } from "../model/transcript.ts";

/** How many steps at the end of a transcript are always sent word for word. */
const KEPT_STEPS = 3;

/** An assistant message with its calls and their results. */
interface Step {
  /** The place of the assistant message. */
  readonly from: number;
  /** The place of its last row; infinite where a call has no result. */
  readonly to: number;
}

/** The steps of a transcript, in order. */
function stepsOf(rows: readonly TranscriptMessage[]): Step[] {
  const placeOf = new Map(rows.flatMap((row, at) => (row.role === "tool" ? [[row, at] as const] : [])));
  const results = matchResults(rows);
  return rows.flatMap((row, from) => {
    if (!isStep(row)) return [];
    const places = (results.get(row) ?? []).map((result) =>
      result === undefined ? Number.POSITIVE_INFINITY : (placeOf.get(result) ?? from),
    );
    return [{ from, to: Math.max(from, ...places) }];
  });
}

function isStep({ role, internal }: TranscriptMessage): boolean {
  return role === "assistant" && internal !== true;
}

/** How many steps stand behind a seq. */
export function stepsBehind(rows: readonly TranscriptMessage[], seq: number): number {
  return rows.filter((row) => isStep(row) && row.seq > seq).length;
}

/**
 * The place of the last row that may be compacted: the end of a step, before the last three, whose calls and those before
 * it all have results up to there. −1 where there is none.
 */
export function lastToCompact(rows: readonly TranscriptMessage[]): number {
  const steps = stepsOf(rows);
  let end = -1;
  let found = -1;
  for (const [at, { to }] of steps.slice(0, Math.max(0, steps.length - KEPT_STEPS)).entries()) {
    end = Math.max(end, to);
    if (end < (steps[at + 1]?.from ?? 0)) found = end;
  }
  return found;
}

/** The place of the first row of the last three steps. */
export function firstKept(rows: readonly TranscriptMessage[]): number {
  return rows.flatMap((row, at) => (isStep(row) ? [at] : [])).at(-KEPT_STEPS) ?? 0;
}

/** How many steps of a turn had calls, as their ids tell where some of them are not there any more. */
export function callingSteps(ofTurn: readonly TranscriptMessage[]): number {
  const withCalls = ofTurn.filter(({ toolCalls = [] }) => toolCalls.length > 0);
  const numbers = withCalls.flatMap(({ toolCalls = [] }) =>
    toolCalls.map(({ id }) => Number(/^(\d{1,6})\.\d+$/.exec(id)?.[1] ?? 0)),
  );
  return Math.max(withCalls.length, ...numbers);
}
