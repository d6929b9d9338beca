import { HermesError } from "../../base/errors.ts";
import { askedText } from "../../model/approval-text.ts";
import type { SessionId } from "../../model/session.ts";
import type { RewindSession, TurnId, UndoneExchange } from "../../model/turn.ts";
import { openApprovalsOf, toApproval } from "./approval-rows.ts";
import { bindingsOf } from "./binding-rows.ts";
import { closeStaleTurn, stopWaitingTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { settleExpired } from "./expired-approvals.ts";
import { assertNoneInFlight } from "./handoff-rows.ts";
import { filesOf, hideMessages, type MessageRow } from "./messages.ts";
import { enqueue } from "./outbox-rows.ts";
import { assertNoTurn, isResumable, openTurn } from "./turn-rows.ts";

/** See TurnStore. For use inside a transaction, like everything here. */
export function undoLast(context: Context, sessionId: SessionId, once: string | null): UndoneExchange | null {
  settleExpired(context);
  const undone = once === null ? null : hiddenBy(context, sessionId, once);
  if (undone !== null) return undone;
  assertNoTurn(context, sessionId);
  assertNoneInFlight(context, sessionId);
  const asked = lastRequest(context, sessionId);
  if (!asked) return null;
  stopWaitingTurn(context, sessionId);
  closeStaleTurn(context, sessionId);
  const turns = turnsOf(context, "session_id = ? AND seq >= ? AND hidden_at IS NULL", sessionId, asked.seq);
  return { ...requestOf(asked), removed: hideMessages(context, sessionId, asked.seq, once), turns };
}

/** See TurnStore. */
export function rewind(
  context: Context,
  { sessionId, seq, once = null, surface, told }: Omit<RewindSession, "once"> & { readonly once?: string | null },
): UndoneExchange | null {
  settleExpired(context);
  const undone = once === null ? null : hiddenBy(context, sessionId, once);
  if (undone !== null) return undone;
  assertNoTurn(context, sessionId);
  assertNoneInFlight(context, sessionId);
  assertNoneWaits(context, sessionId);
  const asked = context.db.get<Request>(`SELECT text, files FROM messages WHERE ${OF_PEOPLE} AND seq = $seq`, {
    session: sessionId,
    seq,
  });
  if (!asked) return null;
  closeStaleTurn(context, sessionId);
  const turns = turnsOf(context, "session_id = ? AND seq >= ? AND hidden_at IS NULL", sessionId, seq);
  const removed = hideMessages(context, sessionId, seq, once);
  const places = bindingsOf(context, sessionId).filter(({ key }) => key !== surface);
  enqueue(
    context,
    places.map(({ key, conversation }) => ({ key, conversation, message: told })),
    { sessionId },
  );
  return { ...requestOf(asked), removed, turns };
}

function assertNoneWaits(context: Context, sessionId: SessionId): void {
  const turn = openTurn(context, sessionId);
  if (!turn || !isResumable(turn)) return;
  const [question] = openApprovalsOf(context, turn.id);
  const title = context.db.get<{ title: string | null }>("SELECT title FROM sessions WHERE id = ?", sessionId)?.title;
  const asked = question === undefined ? "it goes on by itself" : askedText(toApproval(question));
  throw new HermesError("TURN_WAITS", { title: title ?? sessionId, asked });
}

/** What an earlier `/undo` took away. */
function hiddenBy(context: Context, sessionId: SessionId, once: string): UndoneExchange | null {
  const undone = context.db.get<Request & { removed: number }>(
    `SELECT text, files, (SELECT count(*) FROM messages WHERE hidden_by = $once) AS removed
     FROM messages WHERE hidden_by = $once AND session_id = $session ORDER BY seq LIMIT 1`,
    { once, session: sessionId },
  );
  if (!undone) return null;
  return { ...requestOf(undone), removed: undone.removed, turns: turnsOf(context, "hidden_by = ?", once) };
}

export function lastUndone(context: Context, sessionId: SessionId): UndoneExchange | null {
  // Of two in the same millisecond, the later one took what stands further up.
  const last = context.db.get<{ hidden_by: string }>(
    `SELECT hidden_by FROM messages WHERE session_id = ? AND hidden_by IS NOT NULL
     ORDER BY hidden_at DESC, seq LIMIT 1`,
    sessionId,
  );
  return last ? hiddenBy(context, sessionId, last.hidden_by) : null;
}

function turnsOf({ db }: Context, where: string, ...values: (string | number)[]): TurnId[] {
  const rows = db.all<{ turn_id: TurnId }>(
    `SELECT turn_id FROM messages WHERE ${where} AND turn_id IS NOT NULL GROUP BY turn_id ORDER BY min(seq)`,
    ...values,
  );
  return rows.map(({ turn_id }) => turn_id);
}

type Request = Pick<MessageRow, "text" | "files">;

function requestOf(row: Request): Pick<UndoneExchange, "text" | "files"> {
  return { text: row.text, ...(row.files === null ? {} : { files: filesOf(row) }) };
}

/** What people said in the session `$session`. */
const OF_PEOPLE = "session_id = $session AND role = 'user' AND internal = 0 AND hidden_at IS NULL";

/** The last message of a person, or the first one of its turn: what was said while the turn waited belongs to that. */
function lastRequest({ db }: Context, sessionId: SessionId): (Request & { seq: number }) | undefined {
  const last = db.get<Request & { seq: number; turn_id: string | null }>(
    `SELECT seq, text, files, turn_id FROM messages WHERE ${OF_PEOPLE} ORDER BY seq DESC LIMIT 1`,
    { session: sessionId },
  );
  if (!last || last.turn_id === null) return last;
  return db.get(`SELECT seq, text, files FROM messages WHERE ${OF_PEOPLE} AND turn_id = $turn ORDER BY seq LIMIT 1`, {
    ...{ session: sessionId, turn: last.turn_id },
  });
}
