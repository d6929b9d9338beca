import type { OutboundMessage } from "../../adapter/message.ts";
import type {
  Approval,
  ApprovalDecision,
  ApprovalId,
  ApprovalState,
  Decider,
  NewApproval,
} from "../../model/approval.ts";
import type { SessionId, Surface } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Context, SqlValue } from "./connection.ts";
import { since, steadyIn } from "./expiry.ts";
import { readable } from "./text.ts";
import type { TurnRow } from "./turn-rows.ts";

export interface ApprovalRow {
  readonly id: ApprovalId;
  readonly code: string;
  readonly turn_id: TurnId;
  readonly session_id: SessionId;
  readonly call_id: string;
  readonly kind: Approval["kind"];
  readonly tool: string;
  readonly summary: string;
  readonly detail: string;
  readonly digest: string;
  readonly rules: string;
  readonly answers: string;
  readonly messages: string;
  readonly state: ApprovalState;
  readonly decision: string | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly decided_on: Surface | null;
  readonly asked_at: number;
  readonly expires_at: number | null;
  readonly expires_steady: string | null;
  readonly raises: string | null;
}

export function toApproval(row: ApprovalRow): Approval {
  return {
    id: row.id,
    code: row.code,
    turnId: row.turn_id,
    sessionId: row.session_id,
    callId: row.call_id,
    kind: row.kind,
    tool: row.tool,
    summary: row.summary,
    detail: row.detail,
    digest: row.digest,
    rules: JSON.parse(row.rules) as string[],
    answers: JSON.parse(row.answers) as string[],
    messages: JSON.parse(row.messages) as OutboundMessage[],
    state: row.state,
    decision: row.decision === null ? null : (JSON.parse(row.decision) as ApprovalDecision),
    decidedBy: row.decided_by === null ? null : (JSON.parse(row.decided_by) as Decider),
    decidedAt: row.decided_at,
    decidedOn: row.decided_on,
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
  };
}

/** Selects approvals, the oldest first; `condition` follows WHERE. */
export function approvalRows({ db }: Context, condition: string, ...values: SqlValue[]): ApprovalRow[] {
  return db.all<ApprovalRow>(`SELECT * FROM approvals WHERE ${condition} ORDER BY number`, ...values);
}

export function approvalRow({ db }: Context, id: ApprovalId): ApprovalRow | undefined {
  return db.get<ApprovalRow>("SELECT * FROM approvals WHERE id = ?", id);
}

export function openApprovalsOf(context: Context, turnId: TurnId): ApprovalRow[] {
  return approvalRows(context, "turn_id = +? AND state = 'open'", turnId);
}

export function isExpired({ clock }: Context, row: Pick<ApprovalRow, "expires_at" | "expires_steady">): boolean {
  return row.expires_at !== null && since(clock, row.expires_at, row.expires_steady) >= 0;
}

/** Whether one of the codes is in use, or stands twice among them. They are compared without case. */
export function areCodesTaken({ db }: Context, codes: readonly string[]): boolean {
  if (new Set(codes.map((code) => code.toLowerCase())).size < codes.length) return true;
  return codes.some((code) => db.get("SELECT 1 FROM approvals WHERE code = ? COLLATE NOCASE", code) !== undefined);
}

/** Stores what a turn asks, in order. For use inside a transaction. */
export function addApprovals(context: Context, turn: TurnRow, approvals: readonly NewApproval[]): ApprovalRow[] {
  const { db, clock } = context;
  const now = clock.now();
  return approvals.map(({ ttlMs, raises, ...asked }) => {
    const row: ApprovalRow = {
      id: asked.id,
      code: asked.code,
      turn_id: turn.id,
      session_id: turn.session_id,
      call_id: asked.callId,
      kind: asked.kind,
      tool: readable(asked.tool),
      summary: readable(asked.summary),
      detail: readable(asked.detail),
      digest: asked.digest,
      rules: JSON.stringify(asked.rules),
      answers: JSON.stringify(asked.answers),
      messages: JSON.stringify(asked.messages),
      state: "open",
      decision: null,
      decided_by: null,
      decided_at: null,
      decided_on: null,
      asked_at: now,
      expires_at: ttlMs === null ? null : now + ttlMs,
      expires_steady: ttlMs === null ? null : steadyIn(clock, ttlMs),
      raises: raises === undefined ? null : JSON.stringify(raises),
    };
    db.run(
      `INSERT INTO approvals (
         id, code, turn_id, session_id, call_id, kind, tool, summary, detail, digest, rules, answers, messages, state,
         asked_at, expires_at, expires_steady, raises
       ) VALUES (
         $id, $code, $turn_id, $session_id, $call_id, $kind, $tool, $summary, $detail, $digest, $rules, $answers,
         $messages, $state, $asked_at, $expires_at, $expires_steady, $raises
       )`,
      { ...row },
    );
    return row;
  });
}
