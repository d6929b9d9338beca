import type { ApprovalId } from "../../model/approval.ts";
import type { LimitRaise } from "../../model/limit.ts";
import type { DecideApproval, DecideApprovalResult } from "../../model/turn.ts";
import type { ApprovalStore } from "../work-stores.ts";
import { type ApprovalRow, approvalRow, approvalRows, openApprovalsOf, toApproval } from "./approval-rows.ts";
import type { Context } from "./connection.ts";
import { settleExpired, unlessWaiting, whenSettled } from "./expired-approvals.ts";
import { finishInbox, openInboxRow } from "./inbox-rows.ts";
import { addMessages } from "./messages.ts";
import { enqueue } from "./outbox-rows.ts";
import { closeQuestion, questionsAt, showQuestionsOf } from "./questions.ts";
import { isServedAt } from "./resume-turn.ts";
import { readable } from "./text.ts";
import { turnRow } from "./turn-rows.ts";
import { raiseLimit } from "./usage.ts";

/** Nobody is reminded of what the terminal waits for. */
export const UNREMINDED = `
SELECT * FROM approvals WHERE state = 'open' AND reminded_at IS NULL AND asked_at <= ? ORDER BY asked_at, number`;

export function sqliteApprovals(context: Context): ApprovalStore {
  const { db, clock } = context;
  const one = (condition: string, value: string) =>
    unlessWaiting(
      context,
      () => approvalRows(context, condition, value).map(toApproval)[0] ?? null,
      (approval) => approval?.state === "open",
    );
  return {
    decide: (request) => db.write(() => decide(context, request)),

    get: (id) => one("id = ?", id),

    byCode: (code) => one("code = ? COLLATE NOCASE", code.trim()),

    ofTurn: (turnId) =>
      unlessWaiting(
        context,
        () => approvalRows(context, "turn_id = +?", turnId).map(toApproval),
        (approvals) => approvals.some(({ state }) => state === "open"),
      ),

    open: (sessionId) =>
      unlessWaiting(
        context,
        () =>
          (sessionId === undefined
            ? approvalRows(context, "state = 'open'")
            : approvalRows(context, "session_id = +? AND state = 'open'", sessionId)
          ).map(toApproval),
        isSome,
      ),

    shownAt: (key) => unlessWaiting(context, () => questionsAt(context, key), isSome),

    showAt: (sessionId, at) =>
      db.write(() => {
        settleExpired(context);
        showQuestionsOf(context, sessionId, at);
      }),

    unreminded: (at, askedBefore) =>
      whenSettled(context, () =>
        db
          .all<ApprovalRow>(UNREMINDED, askedBefore)
          .filter((row) => {
            const turn = turnRow(context, row.turn_id);
            return turn !== undefined && (turn.surface === "terminal" || isServedAt(context, turn, turn.surface, at));
          })
          .map(toApproval),
      ),

    remind: (id, entry) =>
      db.write(() => {
        settleExpired(context);
        const reminded = db.run(
          "UPDATE approvals SET reminded_at = ? WHERE id = ? AND state = 'open' AND reminded_at IS NULL",
          clock.now(),
          id,
        );
        if (reminded > 0) enqueue(context, [entry], {});
        return reminded > 0;
      }),

    allowedInSession: (sessionId) =>
      db.read(() =>
        approvalRows(context, "session_id = +? AND decision ->> '$.kind' IN ('session', 'always')", sessionId).flatMap(
          (row) => {
            const { decidedBy: by, rules } = toApproval(row);
            return by === null ? [] : [{ by, rules }];
          },
        ),
      ),
  };
}

function isSome({ length }: readonly unknown[]): boolean {
  return length > 0;
}

function decide(context: Context, request: DecideApproval): DecideApprovalResult {
  const { id, decision, message, surface, goesOnWhereItWas = false, inboxId, digest, isCommand = false } = request;
  settleExpired(context);
  const asked = approvalRow(context, id);
  // Words that came too late to refuse anything are still to be answered.
  const isSpent = message === undefined || asked?.state === "open";
  // Whoever wrote it has edited or deleted it meanwhile.
  const isAsRead = digest === undefined || (inboxId && openInboxRow(context, inboxId)?.digest) === digest;
  if (!isAsRead) return { state: "changed" };
  // With its question, which may be gone with its session, the message is like any other.
  if (asked === undefined) return { state: "unknown" };
  if (inboxId !== undefined && isSpent && !isCommand && !finishInbox(context, inboxId)) return { state: "changed" };
  if (asked.state !== "open") return { state: "over", approval: toApproval(asked) };

  const isRefusalOfAll = decision.kind === "no" && message !== undefined;
  const decided = isRefusalOfAll ? openApprovalsOf(context, asked.turn_id) : [asked];
  for (const row of decided) closeQuestion(context, record(context, row.id, request));
  if (isRefusalOfAll) {
    addMessages(context, asked.session_id, asked.turn_id, [{ ...message, surface: message.surface ?? surface }]);
  }
  if (!goesOnWhereItWas) context.db.run("UPDATE turns SET decided_on = ? WHERE id = ?", surface, asked.turn_id);
  context.db.run("UPDATE sessions SET updated_at = ? WHERE id = ?", context.clock.now(), asked.session_id);
  return {
    state: "decided",
    approval: toApproval(decidedRow(context, id)),
    open: openApprovalsOf(context, asked.turn_id).length,
  };
}

function record(context: Context, id: ApprovalId, { decision, by, surface }: DecideApproval): ApprovalRow {
  context.db.run(
    `UPDATE approvals SET state = 'decided', decision = $decision, decided_by = $by, decided_at = $now, decided_on = $surface
     WHERE id = $id`,
    {
      id,
      decision: JSON.stringify(decision),
      by: JSON.stringify({ ...by, name: readable(by.name) }),
      now: context.clock.now(),
      surface,
    },
  );
  const row = decidedRow(context, id);
  if (decision.kind === "once" && row.raises !== null) raiseLimit(context, JSON.parse(row.raises) as LimitRaise, id);
  return row;
}

function decidedRow(context: Context, id: ApprovalId): ApprovalRow {
  const row = approvalRow(context, id);
  if (row === undefined) throw new TypeError("An approval was lost within its own transaction.");
  return row;
}
