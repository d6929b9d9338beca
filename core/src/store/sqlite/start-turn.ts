import { HermesError } from "../../base/errors.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import type { SessionId } from "../../model/session.ts";
import {
  authorOf,
  type StartTurn,
  type StartTurnResult,
  type TurnAuthor,
  type TurnCause,
  type TurnId,
} from "../../model/turn.ts";
import { withUnsentFiles } from "../../model/unsent-files.ts";
import { askRows } from "./ask-rows.ts";
import { bindingRow } from "./binding-rows.ts";
import { interruptBegunCalls } from "./calls.ts";
import { closeTurn } from "./close-turn.ts";
import type { Context } from "./connection.ts";
import { settleExpired } from "./expired-approvals.ts";
import { ATTEMPTS, grant } from "./grant-turn.ts";
import { type HandoffRow, handoffRow, holdingHandoff } from "./handoff-rows.ts";
import { finishInbox, openInboxRow } from "./inbox-rows.ts";
import { addMessages, hideMessages } from "./messages.ts";
import { openAsk } from "./open-ask.ts";
import { enqueue } from "./outbox-rows.ts";
import { type SessionRow, sessionRow } from "./session-rows.ts";
import { holdsLease, isResumable, openTurn, type TurnRow, toTurn, turnOfCause } from "./turn-rows.ts";
import { holdsLines, keepLines, moveLines, removeLines } from "./typed-lines.ts";
import { unsentFilesOf } from "./unsent-files.ts";

/** See TurnStore. For use inside a transaction. */
export function startTurn(context: Context, request: StartTurn): StartTurnResult {
  settleExpired(context);
  const result = start(context, request);
  const hasToWait = !result.ok && (["busy", "handoff", "waiting"] as string[]).includes(result.reason);
  if (hasToWait) keepMessage(context, request);
  return result;
}

/** Stores the message of a turn that has to wait, so that it survives the end of its terminal. */
function keepMessage(context: Context, { cause, message, sessionId, holder, leaseMs }: StartTurn): void {
  if (cause.kind !== "terminal" || cause.keepAs === undefined || message === null) return;
  keepLines(context, sessionId, [{ id: cause.keepAs, text: message.text }], holder, leaseMs);
}

function start(context: Context, request: StartTurn): StartTurnResult {
  const { cause } = request;
  const session = sessionRow(context, request.sessionId);
  if (!session) return { ok: false, reason: "unknown_session" };
  const earlier = turnOfCause(context, cause);
  const row = cause.kind === "inbox" ? openInboxRow(context, cause.inboxId) : undefined;

  if (cause.kind === "inbox") {
    if (earlier?.state === "done") return answered(context, cause.inboxId);
    if (earlier?.state === "interrupted") return closed(context, request, cause.inboxId, earlier);
    if (row === undefined) {
      // It was taken back. What a command that it was has done stays, and is told.
      if (!earlier) enqueue(context, request.outbox ?? [], {});
      return { ok: false, reason: "answered" };
    }
    const isChanged = cause.digest !== undefined && row.digest !== cause.digest;
    if (!earlier && isChanged) return { ok: false, reason: "changed" };
    // Its row stays: the next look at the lane begins it where the place leads to now.
    if (!earlier && wasTakenAlong(context, request)) return { ok: false, reason: "closed" };
  }

  const lines = cause.kind === "terminal" ? (cause.lines ?? []) : [];
  if (!holdsLines(context, lines, request.holder)) return { ok: false, reason: "taken" };

  const handoff = holdingHandoff(context, session.id);
  if (cause.kind === "handoff") {
    if (handoff?.id !== cause.handoffId) return handoffIsOver(handoffRow(context, cause.handoffId));
  } else if (handoff) {
    return { ok: false, reason: "handoff", handoffId: handoff.id, platform: handoff.platform };
  }

  // The earlier turn may belong to another session, if the conversation was bound to another one since.
  const open = openTurn(context, session.id);
  for (const turn of [open, earlier]) {
    if (turn && holdsLease(context, turn)) return { ok: false, reason: "busy", turn: toTurn(turn) };
  }
  if (open && isResumable(open)) return { ok: false, reason: "waiting", turn: toTurn(open) };
  if (earlier && mayRunAgain(request, earlier)) return runAgain(context, request, session, earlier);

  if (open) closeTurn(context, open);
  if (cause.kind === "inbox" && earlier) {
    if (earlier.id !== open?.id) closeTurn(context, earlier);
    return closed(context, request, cause.inboxId, earlier);
  }
  if (lines.length > 0) {
    removeLines(context, lines, request.holder);
    moveLines(context, request.holder, session.id);
  }
  return runFirst(context, request, session, { handoff, row });
}

/** Whether the session's place was led to another one after somebody had looked where it leads. */
function wasTakenAlong(context: Context, { sessionId, surface }: StartTurn): boolean {
  const binding = surface === "terminal" ? undefined : bindingRow(context, surface);
  if (binding === undefined || binding.session_id === sessionId) return false;
  return askRows(context, "fresh_id = ? AND surface = ? AND state = 'taken'", sessionId, surface).length > 0;
}

function answered(context: Context, inboxId: InboxId): StartTurnResult {
  finishInbox(context, inboxId);
  return { ok: false, reason: "answered" };
}

function closed(context: Context, request: StartTurn, inboxId: InboxId, turn: TurnRow): StartTurnResult {
  // If the turn ended regularly, the row is done already, and the chat was told.
  if (finishInbox(context, inboxId) && request.closedNotice) {
    const { toolStarted, noToolStarted } = request.closedNotice;
    const entry = turn.tool_started === 1 ? toolStarted : noToolStarted;
    const message = withUnsentFiles(entry.message, unsentFilesOf(context, turn));
    enqueue(context, [{ ...entry, message }], {
      sessionId: turn.session_id,
      turnId: turn.id,
    });
  }
  return { ok: false, reason: "closed" };
}

function handoffIsOver(handoff: HandoffRow | undefined): StartTurnResult {
  const hasAnswer = handoff && (handoff.state === "completed" || handoff.state === "running");
  return { ok: false, reason: hasAnswer ? "answered" : "closed" };
}

function mayRunAgain(request: StartTurn, turn: TurnRow): boolean {
  if (turn.session_id !== request.sessionId) return false;
  // A handoff's turn runs without tools, so repeating it has no effect but its text.
  if (request.cause.kind === "handoff") return true;
  // A stop outlives the process that was to heed it.
  return turn.stop_requested === 0 && turn.attempt < ATTEMPTS;
}

/**
 * Goes on with the same turn: its draft, if it has one, becomes the draft of the new attempt. What was begun and may have
 * had an effect is not run again.
 */
function runAgain(context: Context, request: StartTurn, session: SessionRow, turn: TurnRow): StartTurnResult {
  if (request.cause.kind === "handoff") hideMessages(context, session.id, turn.message_seq + 1);
  interruptBegunCalls(context, turn);
  return grant(context, request, session, { ...turn, attempt: turn.attempt + 1 });
}

function runFirst(
  context: Context,
  request: StartTurn,
  session: SessionRow,
  { handoff, row }: { readonly handoff: HandoffRow | undefined; readonly row: InboxRow | undefined },
): StartTurnResult {
  const id = context.ids.next("trn") as TurnId;
  enqueue(context, request.outbox ?? [], {});
  if (request.offer !== undefined) openAsk(context, { ...request.offer, fresh: session.id });
  const seq = requestSeq(context, request, handoff, id);
  return grant(context, request, session, {
    id,
    session_id: session.id,
    inbox_id: request.cause.kind === "inbox" ? request.cause.inboxId : null,
    handoff_id: request.cause.kind === "handoff" ? request.cause.handoffId : null,
    ask_id: null,
    compacts: request.cause.kind === "compact" ? 1 : 0,
    attempt: 1,
    author: storedAuthor(request.cause, row),
    message_seq: seq,
    tool_started: 0,
    parked_at: null,
  });
}

/** The author of the message that a turn answers, as stored. */
function storedAuthor({ kind }: TurnCause, row: InboxRow | undefined): string | null {
  if (kind === "terminal") return JSON.stringify(kind satisfies TurnAuthor);
  return row === undefined ? null : JSON.stringify(authorOf(row.message));
}

function requestSeq(context: Context, request: StartTurn, handoff: HandoffRow | undefined, id: TurnId): number {
  switch (request.cause.kind) {
    case "handoff":
      return takeHandoffMessage(context, handoff, id);
    case "compact":
      return lastSeq(context, request.sessionId);
    default:
      return addRequest(context, request, id);
  }
}

function lastSeq({ db }: Context, sessionId: SessionId): number {
  const row = db.get<{ seq: number | null }>(
    "SELECT max(seq) AS seq FROM messages WHERE session_id = ? AND hidden_at IS NULL",
    sessionId,
  );
  if (row?.seq == null) throw new HermesError("COMPACTION_NOTHING", { reason: "nothing was said in it yet" });
  return row.seq;
}

function addRequest(context: Context, request: StartTurn, turnId: TurnId): number {
  if (!request.message) throw new TypeError("A turn needs a message, except that of a handoff or a compaction.");
  const message = { ...request.message, surface: request.message.surface ?? request.surface };
  return addMessages(context, request.sessionId, turnId, [message])[0]?.seq ?? 0;
}

/** Assigns the message that was written when the handoff was bound to its turn; returns the message's seq. */
function takeHandoffMessage({ db }: Context, handoff: HandoffRow | undefined, turnId: TurnId): number {
  const row = db.get<{ seq: number }>(
    "UPDATE messages SET turn_id = ? WHERE once = ? RETURNING seq",
    turnId,
    `handoff:${handoff?.id}`,
  );
  if (!row) throw new TypeError("The turn of a handoff starts after it was bound.");
  return row.seq;
}
