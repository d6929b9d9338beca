import type { ToolCall, TranscriptMessage } from "./transcript.ts";

type Row = Pick<TranscriptMessage, "role" | "toolCalls" | "toolCallId"> & Partial<Pick<TranscriptMessage, "turnId">>;

/**
 * Finds the results of each row's tool calls, in the order of the calls, wherever the rows stand: results belong to calls
 * by turn and id.
 */
export function matchResults<R extends Row>(rows: readonly R[]): Map<R, (R | undefined)[]> {
  const results = new Map<R, (R | undefined)[]>();
  const waiting = new Map<string, ((result: R) => void)[]>();
  const keyOf = ({ turnId = null }: R, id: string | undefined) => JSON.stringify([turnId, id]);
  for (const row of rows) {
    if (row.role === "tool") {
      waiting.get(keyOf(row, row.toolCallId))?.shift()?.(row);
      continue;
    }
    const { toolCalls = [] } = row;
    if (toolCalls.length === 0) continue;
    const found: (R | undefined)[] = toolCalls.map(() => undefined);
    results.set(row, found);
    // An id that a later step uses again means that step's call.
    for (const { id } of toolCalls) waiting.set(keyOf(row, id), []);
    for (const [at, { id }] of toolCalls.entries()) {
      waiting.get(keyOf(row, id))?.push((result) => {
        found[at] = result;
      });
    }
  }
  return results;
}

/** The tool calls without a result, oldest first. */
export function openToolCalls(rows: readonly Row[]): ToolCall[] {
  return [...matchResults(rows)].flatMap(([{ toolCalls = [] }, results]) =>
    toolCalls.filter((_, at) => results[at] === undefined),
  );
}
