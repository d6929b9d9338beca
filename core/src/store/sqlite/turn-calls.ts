import { matchResults } from "../../model/call-results.ts";
import type { TurnCall, TurnId } from "../../model/turn.ts";
import type { Context } from "./connection.ts";
import { type MessageRow, toMessage } from "./messages.ts";
import { liveTurn, turnRow } from "./turn-rows.ts";

interface CallTimes {
  readonly call_id: string;
  readonly begun_at: number | null;
  readonly ended_at: number | null;
}

/** See TurnStore. */
export function callsOf(context: Context, turnId: TurnId): TurnCall[] {
  const turn = turnRow(context, turnId);
  if (!turn) return [];
  const { session_id: sessionId } = turn;
  const { db } = context;
  // The turns of a session follow each other, so those of this one stand in front of what began the next.
  const rows = db
    .all<MessageRow>(
      `SELECT * FROM messages
       WHERE session_id = $session AND turn_id = $turn AND seq >= $from AND hidden_at IS NULL
         AND (tool_calls IS NOT NULL OR tool_call_id IS NOT NULL)
         AND seq < ifnull((SELECT min(message_seq) FROM turns WHERE session_id = $session AND message_seq > $from), 1e15)
       ORDER BY seq`,
      { session: sessionId, turn: turnId, from: turn.message_seq },
    )
    .map(toMessage);
  const times = new Map(
    db
      .all<CallTimes>("SELECT call_id, begun_at, ended_at FROM calls WHERE turn_id = ?", turnId)
      .map((one) => [one.call_id, one]),
  );
  const isHeld = liveTurn(context, sessionId)?.id === turnId;
  const growing =
    isHeld &&
    db.get<{ call_id: string; text: string }>(
      "SELECT call_id, text FROM growing_texts WHERE turn_id = ? AND call_id IS NOT NULL",
      turnId,
    );
  return [...matchResults(rows)].flatMap(([{ toolCalls = [] }, results]) =>
    toolCalls.map((call, at): TurnCall => {
      const result = results[at];
      const known = times.get(call.id);
      return {
        ...{ sessionId, turnId, call, result: result?.text ?? null, beganAt: known?.begun_at ?? null },
        output: result === undefined && growing && growing.call_id === call.id ? growing.text : null,
        endedAt: result === undefined ? null : (known?.ended_at ?? result.createdAt),
      };
    }),
  );
}
