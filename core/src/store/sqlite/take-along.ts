import type { AskId, TakeAlongRefusal, TakeAlongResult } from "../../model/ask.ts";
import { NOT_TAKEN_ALONG, takenAlongNotice } from "../../model/offer-text.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import { type AskRow, askRow, askRows, toAsk } from "./ask-rows.ts";
import { bindingRow, putBinding, toBinding } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { cutShort } from "./end-turn.ts";
import { inFlightRow } from "./handoff-rows.ts";
import { addMessages, filesOf, hideMessages, type MessageRow } from "./messages.ts";
import { endAsk, settleLateAsks } from "./open-ask.ts";
import { enqueue } from "./outbox-rows.ts";
import { showQuestionsOf } from "./questions.ts";
import { type SessionRow, sessionRow } from "./session-rows.ts";
import { holdsLease, isResumable, openTurn, type TurnRow } from "./turn-rows.ts";

interface Offer {
  readonly row: AskRow;
  /** The session to go on with. */
  readonly session: SessionRow;
  /** The one in which the person has begun to write. */
  readonly fresh: SessionId;
}

/** See AskStore. For use inside a transaction. */
export function takeAlong(context: Context, id: AskId): TakeAlongResult {
  settleLateAsks(context);
  const row = askRow(context, id);
  const offer = row && offerIn(context, row);
  if (row === undefined || offer === undefined) return { state: "unknown" };
  if (row.state !== "open") return { state: "over", ask: toAsk(row) };
  const reason = refusalOf(context, offer);
  if (reason === "answering") {
    context.db.run("UPDATE asks SET wanted_at = ? WHERE id = ?", context.clock.now(), id);
    return { state: "waits", ask: toAsk(row) };
  }
  if (reason !== null) return { state: "refused", reason, ask: toAsk(row) };
  return take(context, offer);
}

/** Takes along what was answered meanwhile, where somebody wants that; where it cannot be by now, that is said. */
export function takeWanted(context: Context, fresh: SessionId): void {
  for (const row of askRows(context, "fresh_id = +? AND state = 'open' AND wanted_at IS NOT NULL", fresh)) {
    const offer = offerIn(context, row);
    const reason = offer && refusalOf(context, offer);
    if (offer !== undefined && reason === null) take(context, offer);
    else if (reason !== "answering") giveBack(context, row, reason ?? "elsewhere");
  }
}

/** Lets an offer stand as if nobody had taken it yet. */
function giveBack(context: Context, row: AskRow, reason: TakeAlongRefusal): void {
  context.db.run("UPDATE asks SET wanted_at = NULL WHERE id = ?", row.id);
  const binding = row.surface === "terminal" ? undefined : bindingRow(context, row.surface);
  if (binding === undefined) return;
  const { key, conversation } = toBinding(binding);
  enqueue(context, [{ key, conversation, message: { kind: "notice", markdown: NOT_TAKEN_ALONG[reason] } }], {});
}

function offerIn(context: Context, row: AskRow): Offer | undefined {
  const session = row.session_id === null ? undefined : sessionRow(context, row.session_id);
  return session && row.fresh_id !== null ? { row, session, fresh: row.fresh_id } : undefined;
}

function refusalOf(context: Context, { row, session, fresh }: Offer): TakeAlongRefusal | "answering" | null {
  if (row.surface !== "terminal" && bindingRow(context, row.surface)?.session_id !== fresh) return "elsewhere";
  for (const id of [session.id, fresh]) if (inFlightRow(context, id)) return "handed-off";
  const other = openTurn(context, session.id);
  if (other && !isCutOff(context, other)) return "at-work";
  const turn = openTurn(context, fresh);
  if (turn === undefined) return null;
  // What a dead process left is gone on with by the next one, and ends there.
  return turn.state === "running" || holdsLease(context, turn) ? "answering" : "asked";
}

/** Whether nobody goes on with a turn: its terminal died. */
function isCutOff(context: Context, turn: TurnRow): boolean {
  return turn.inbox_id === null && turn.handoff_id === null && !isResumable(turn) && !holdsLease(context, turn);
}

function take(context: Context, { row, session, fresh }: Offer): TakeAlongResult {
  const cutOff = openTurn(context, session.id);
  if (cutOff !== undefined) {
    cutShort(context, cutOff);
    takeWanted(context, session.id);
  }
  bindPlace(context, row.surface, session.id);
  const said = exchange(context, fresh);
  const requests = said.filter(({ role, internal }) => role === "user" && internal === 0);
  const turnId =
    requests.length === 0 || hasUsedTools(context, fresh) ? null : beginTurn(context, row, session, fresh, requests);
  if (turnId === null && said.length > 0) tellWhatStays(context, row, session, said);
  return { state: "taken", ask: toAsk(endAsk(context, row, "taken")), turnId };
}

function bindPlace(context: Context, surface: Surface, sessionId: SessionId): void {
  const bound = surface === "terminal" ? undefined : bindingRow(context, surface);
  if (bound === undefined) return;
  const binding = toBinding(bound);
  putBinding(context, { ...binding, sessionId });
  showQuestionsOf(context, sessionId, binding);
}

function exchange({ db }: Context, id: SessionId): MessageRow[] {
  return db.all<MessageRow>("SELECT * FROM messages WHERE session_id = ? AND hidden_at IS NULL ORDER BY seq", id);
}

function hasUsedTools({ db }: Context, id: SessionId): boolean {
  return db.get("SELECT 1 FROM turns WHERE session_id = ? AND tool_started = 1 LIMIT 1", id) !== undefined;
}

/** Writes the requests into the session, and leaves a turn there for whoever serves the place to begin. */
function beginTurn(
  context: Context,
  row: AskRow,
  session: SessionRow,
  fresh: SessionId,
  requests: readonly MessageRow[],
): TurnId {
  const { db, clock, ids } = context;
  const id = ids.next("trn") as TurnId;
  const former = db.get<{ author: string | null; holder: string }>(
    "SELECT author, holder FROM turns WHERE session_id = ? ORDER BY fence DESC LIMIT 1",
    fresh,
  );
  hideMessages(context, fresh, 0, `offer:${row.id}`);
  const messages = requests.map(
    ({ text, surface, files }) => ({ role: "user", text, surface, files: filesOf({ files }) }) as const,
  );
  const [first] = addMessages(context, session.id, id, messages, null);
  db.run("UPDATE sessions SET fence = fence + 1, updated_at = ? WHERE id = ?", clock.now(), session.id);
  db.run(
    `INSERT INTO turns (
       id, session_id, ask_id, state, waits_for, parked_at, attempt, fence, holder, lease_until, surface, author,
       message_seq, started_at
     ) VALUES (
       $id, $session, $ask, 'waiting', 'offer', $now, 1, (SELECT fence FROM sessions WHERE id = $session), $holder, 0,
       $surface, $author, $seq, $now
     )`,
    {
      ...{ id, session: session.id, ask: row.id, now: clock.now(), surface: row.surface, seq: first?.seq ?? 0 },
      ...{ holder: former?.holder ?? "{}", author: former?.author ?? null },
    },
  );
  return id;
}

/** What tools did belongs to where they ran: what was said there is quoted, and stays. */
function tellWhatStays(context: Context, row: AskRow, session: SessionRow, said: readonly MessageRow[]): void {
  const binding = row.surface === "terminal" ? undefined : bindingRow(context, row.surface);
  if (binding === undefined) return;
  const { key, conversation } = toBinding(binding);
  enqueue(context, [{ key, conversation, message: takenAlongNotice(session.title ?? session.id, said) }], {
    sessionId: session.id,
  });
}
