import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import { bindingRow } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { type Closing, cutShort } from "./end-turn.ts";
import { enqueue } from "./outbox-rows.ts";
import { takeWanted } from "./take-along.ts";
import { isResumable, openTurn, type TurnRow } from "./turn-rows.ts";

/** Ends a turn without an answer, and takes along what somebody has waited for until its end. */
export function closeTurn(context: Context, turn: TurnRow, closing?: Closing): void {
  cutShort(context, turn, closing);
  takeWanted(context, turn.session_id);
}

/** Closes the open turn that a dead process left, unless it is gone on with. The caller has checked that it is not live. */
export function closeStaleTurn(context: Context, sessionId: SessionId): void {
  const turn = openTurn(context, sessionId);
  if (turn && !isResumable(turn)) closeTurn(context, turn);
}

/** Stops a turn of the session that waits, or that waits to be gone on with. False when there is none. */
export function stopWaitingTurn(context: Context, sessionId: SessionId): boolean {
  const turn = openTurn(context, sessionId);
  if (!turn || !isResumable(turn)) return false;
  closeTurn(context, turn, { why: "stopped" });
  return true;
}

/** Queues a message where a turn was asked for. `isBound`: whether that place still leads to its session. */
export function tellPlaceOf(context: Context, turn: TurnRow, message: (isBound: boolean) => OutboundMessage): void {
  const conversation = conversationOf(context, turn, turn.surface);
  if (turn.surface === "terminal" || conversation === null) return;
  const isBound = bindingRow(context, turn.surface)?.session_id === turn.session_id;
  enqueue(context, [{ key: turn.surface, conversation, message: message(isBound) }], {
    ...{ sessionId: turn.session_id, turnId: turn.id },
  });
}

/** The conversation of a place where a turn is, or null for the terminal and for a place that nobody knows any more. */
export function conversationOf({ db }: Context, turn: TurnRow, surface: Surface): Conversation | null {
  if (surface === "terminal") return null;
  const known = (table: "bindings" | "outbox", key: SessionKey) =>
    db.get<{ conversation: string }>(`SELECT conversation FROM ${table} WHERE key = +? LIMIT 1`, key)?.conversation;
  const found = known("bindings", surface) ?? known("outbox", surface);
  if (found !== undefined) return JSON.parse(found) as Conversation;
  return turn.author === null
    ? null
    : ((JSON.parse(turn.author) as { conversation?: Conversation }).conversation ?? null);
}
