import { type NewMessage, TOOL_INTERRUPTED, TOOL_NOT_RUN, type TranscriptMessage } from "../../model/transcript.ts";
import type { BegunCall, Fence, TurnId } from "../../model/turn.ts";
import type { NewUsage } from "../../model/usage.ts";
import { forgetProcessesOf } from "./call-processes.ts";
import type { Context } from "./connection.ts";
import { addMessages } from "./messages.ts";
import { ownTurn, type TurnRow } from "./turn-rows.ts";
import { addUsage } from "./usage.ts";

interface OpenCall {
  readonly call_id: string;
  readonly begun_at: number | null;
}

/** Appends to the transcript within a turn, and keeps which calls are new and which have ended. */
export function appendToTurn(
  context: Context,
  turn: TurnRow,
  messages: readonly NewMessage[],
  usage: readonly NewUsage[] = [],
) {
  const { db, clock } = context;
  for (const { role, toolCalls = [], toolCallId } of messages) {
    for (const { id } of toolCalls) {
      db.run("INSERT OR IGNORE INTO calls (turn_id, call_id) VALUES (?, ?)", turn.id, id);
    }
    if (role !== "tool" || toolCallId === undefined) continue;
    db.run("UPDATE calls SET ended_at = ? WHERE turn_id = ? AND call_id = ?", clock.now(), turn.id, toolCallId);
    forgetProcessesOf(context, turn.id, toolCallId);
  }
  if (messages.some(({ role }) => role === "tool")) db.run("UPDATE turns SET attempt = 1 WHERE id = ?", turn.id);
  return addSaid(context, turn, messages, usage);
}

/** Appends to the transcript within a turn, with what the requests used that gave it. */
export function addSaid(
  context: Context,
  turn: TurnRow,
  messages: readonly NewMessage[],
  usage: readonly NewUsage[],
): TranscriptMessage[] {
  const added = addMessages(context, turn.session_id, turn.id, messages);
  addUsage(context, turn, usage, added.find(({ role }) => role === "assistant")?.seq ?? null);
  return added;
}

/** See TurnStore. For use inside a transaction, like everything here. */
export function beginCall(context: Context, turnId: TurnId, fence: Fence, { id, repeats }: BegunCall): boolean {
  const { db, clock } = context;
  const turn = ownTurn(context, turnId, fence);
  const begun = db.run(
    `UPDATE calls SET begun_at = $now, repeats = $repeats
     WHERE turn_id = $turn AND call_id = $call AND ended_at IS NULL AND (begun_at IS NULL OR repeats = 1)`,
    { now: clock.now(), repeats: repeats ? 1 : 0, turn: turnId, call: id },
  );
  if (begun > 0 && turn.tool_started === 0) db.run("UPDATE turns SET tool_started = 1 WHERE id = ?", turnId);
  return begun > 0;
}

/** Gives each call that a dead holder had begun, and that may have had an effect, the result that says so. */
export function interruptBegunCalls(context: Context, turn: TurnRow): void {
  settle(context, turn, "begun_at IS NOT NULL AND repeats = 0");
}

/** Gives each call of a turn that ends the result it still lacks; `notBegun` is that of a call that had not begun. */
export function settleOpenCalls(context: Context, turn: TurnRow, notBegun = TOOL_NOT_RUN): void {
  settle(context, turn, "TRUE", notBegun);
}

function settle(context: Context, turn: TurnRow, which: string, notBegun = TOOL_NOT_RUN): void {
  const { db, clock } = context;
  const open = db.all<OpenCall>(
    `SELECT call_id, begun_at FROM calls WHERE turn_id = +? AND ended_at IS NULL AND ${which} ORDER BY number`,
    turn.id,
  );
  if (open.length === 0) return;
  db.run(`UPDATE calls SET ended_at = ? WHERE turn_id = ? AND ended_at IS NULL AND ${which}`, clock.now(), turn.id);
  addMessages(
    context,
    turn.session_id,
    turn.id,
    open.map(({ call_id, begun_at }) => ({
      role: "tool",
      text: begun_at === null ? notBegun : TOOL_INTERRUPTED,
      toolCallId: call_id,
    })),
  );
}
