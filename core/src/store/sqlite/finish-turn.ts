import type { SessionKey } from "../../adapter/session-key.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import type { Surface } from "../../model/session.ts";
import type { FinishTurn } from "../../model/turn.ts";
import { type BindingRow, bindingOfHandoff, bindingRow, toBinding } from "./binding-rows.ts";
import { addSaid, settleOpenCalls } from "./calls.ts";
import type { Context } from "./connection.ts";
import { endTurn } from "./end-turn.ts";
import { noteAnswered } from "./handoff-rows.ts";
import { finishInbox } from "./inbox-rows.ts";
import { enqueue } from "./outbox-rows.ts";
import { takeWanted } from "./take-along.ts";
import { ownTurn, type TurnRow } from "./turn-rows.ts";

/** See TurnStore. For use inside a transaction. */
export function finishTurn(context: Context, request: FinishTurn): void {
  const turn = ownTurn(context, request.turnId, request.fence);
  settleOpenCalls(context, turn);
  addSaid(context, turn, request.messages, request.usage ?? []);
  const { key: here, entries: placed } = atItsPlace(context, turn, request.outbox);
  // Rows for other places do not belong to the handoff: it can be delivered without them.
  const entries = placed.map((entry) =>
    entry.handoffId === undefined && entry.key === here ? { ...entry, handoffId: turn.handoff_id } : entry,
  );
  completeDraft(context, turn, entries);
  if (turn.inbox_id !== null) finishInbox(context, turn.inbox_id);
  endTurn(context, turn, request.state);
  context.db.run(
    "UPDATE sessions SET updated_at = ?, left_surface = NULL WHERE id = ?",
    context.clock.now(),
    turn.session_id,
  );
  if (request.work !== undefined) {
    context.db.run("UPDATE sessions SET state = ? WHERE id = ?", JSON.stringify(request.work), turn.session_id);
  }
  // A turn that was closed without an answer does not advance the handoff: it may be retried.
  if (turn.handoff_id !== null && request.state === "done") noteAnswered(context, turn.handoff_id);
  takeWanted(context, turn.session_id);
}

/** Queues what a turn has said: the first message at the place of its draft becomes the draft's last edit. */
export function completeDraft(context: Context, turn: TurnRow, entries: readonly NewOutboxEntry[]): void {
  const { db } = context;
  const ids = enqueue(context, entries, { sessionId: turn.session_id, turnId: turn.id });
  const draft = db.get<{ send_key: string; key: SessionKey; message_id: string | null }>(
    "SELECT send_key, key, message_id FROM drafts WHERE turn_id = ? AND completed = 0",
    turn.id,
  );
  if (!draft) return;
  db.run("UPDATE drafts SET completed = 1 WHERE send_key = ?", draft.send_key);
  const edited = ids[entries.findIndex(({ key, edits }) => key === draft.key && edits === undefined)];
  if (edited !== undefined) {
    db.run(
      "UPDATE outbox SET draft_message_id = ?, draft_key = ? WHERE id = ?",
      draft.message_id,
      draft.send_key,
      edited,
    );
  }
}

/**
 * Redirects the turn's rows if its thread was deleted meanwhile, and its lane and binding moved: rows for the old place
 * go to the new one, which then needs no echo of them.
 */
export function atItsPlace<Entry extends Pick<NewOutboxEntry, "key" | "conversation" | "handoffId">>(
  context: Context,
  turn: TurnRow,
  entries: readonly Entry[],
): { readonly key: Surface; readonly entries: readonly Entry[] } {
  const moved = movedTo(context, turn);
  if (!moved) return { key: turn.surface, entries };
  const { key, conversation } = toBinding(moved);
  const isOfTurn = (entry: Entry) =>
    entry.key === turn.surface || (turn.handoff_id !== null && entry.handoffId === turn.handoff_id);
  return {
    key,
    entries: entries
      .filter((entry) => isOfTurn(entry) || entry.key !== key)
      .map((entry) => (isOfTurn(entry) ? { ...entry, key, conversation } : entry)),
  };
}

function movedTo(context: Context, turn: TurnRow): BindingRow | undefined {
  // A handoff's turn may be granted after the move, but still for the old place.
  if (turn.handoff_id !== null) return bindingOfHandoff(context, turn.handoff_id);
  // While a turn runs, only a move changes the session's `last_surface`.
  const { last_surface: surface } =
    context.db.get<{ last_surface: Surface }>("SELECT last_surface FROM sessions WHERE id = ?", turn.session_id) ?? {};
  if (surface === undefined || surface === "terminal" || surface === turn.surface) return undefined;
  const binding = bindingRow(context, surface);
  return binding?.session_id === turn.session_id ? binding : undefined;
}
