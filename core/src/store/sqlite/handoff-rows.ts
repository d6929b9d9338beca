import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { ErrorCode } from "../../base/error-table.ts";
import { HermesError, type StoredError } from "../../base/errors.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { Handoff, HandoffId, HandoffState, HandoffStep } from "../../model/handoff.ts";
import type { HandoffTarget } from "../../model/place.ts";
import { inFlightError } from "../../model/refusals.ts";
import type { SessionId, Surface, UserId } from "../../model/session.ts";
import type { Context, SqlValue } from "./connection.ts";
import { since, steadyIn } from "./expiry.ts";
import { isLive } from "./leases.ts";
import { cut, readable } from "./text.ts";
import { liveTurn } from "./turn-rows.ts";

/** The maximum length of a handoff's error text, in code points. */
const ERROR_LIMIT = 500;

const STEPS: readonly HandoffStep[] = ["claimed", "threaded", "bound", "answered", "delivered"];

export interface HandoffRow {
  readonly id: HandoffId;
  readonly session_id: SessionId;
  readonly from_surface: Surface;
  /** Where the session was used last. */
  readonly left_surface: Surface | null;
  /** `terminal`, or where the account is. */
  readonly platform: string;
  readonly account: string | null;
  /** A target that is no home channel, as JSON. */
  readonly target: string | null;
  readonly state: HandoffState;
  readonly step: HandoffStep | null;
  readonly attempt: number;
  readonly holder_id: string | null;
  readonly holder: string | null;
  readonly lease_until: number | null;
  readonly lease_steady: string | null;
  readonly requested_at: number;
  readonly expires_at: number;
  readonly expires_steady: string | null;
  readonly ended_at: number | null;
  readonly conversation: string | null;
  readonly place: string | null;
  readonly link: string | null;
  readonly flat_because: string | null;
  readonly error_code: ErrorCode | null;
  readonly error_text: string | null;
  readonly warnings: string;
  readonly mark: string;
  readonly thread_intent_at: number | null;
  readonly thread_opened: number;
  readonly bound_key: SessionKey | null;
  readonly bound_fence: number | null;
  readonly bound_inbox: number | null;
  readonly previous_session_id: SessionId | null;
  readonly ttl_ms: number | null;
  readonly turn_surface: Surface | null;
  readonly away: number;
  readonly asked_by: UserId;
  /** JSON, in order. */
  readonly steps: string;
}

export function toHandoff(context: Context, row: HandoffRow): Handoff {
  return {
    id: row.id,
    sessionId: row.session_id,
    from: row.from_surface,
    leaves: row.left_surface === "terminal" ? null : row.left_surface,
    to: targetOf(row),
    isAway: row.away === 1,
    by: row.asked_by,
    platform: row.platform,
    state: row.state,
    step: row.step,
    attempt: row.attempt,
    holder: row.holder === null ? null : (JSON.parse(row.holder) as Holder),
    leaseUntil: row.lease_until,
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    waitsForTurn: row.state === "pending" && liveTurn(context, row.session_id) !== undefined,
    endedAt: row.ended_at,
    conversation: row.conversation === null ? null : (JSON.parse(row.conversation) as Conversation),
    place: row.place,
    link: row.link,
    flatBecause: row.flat_because,
    error: row.error_code === null ? null : { code: row.error_code, text: row.error_text ?? "" },
    warnings: JSON.parse(row.warnings) as string[],
    mark: row.mark,
    threadIntentAt: row.thread_intent_at,
    steps: JSON.parse(row.steps) as Handoff["steps"],
  };
}

function targetOf({ platform, account, target }: HandoffRow): HandoffTarget {
  if (platform === "terminal") return { kind: "terminal" };
  if (target !== null) return JSON.parse(target) as HandoffTarget;
  return { kind: "home", platform, account: account ?? undefined };
}

/** Selects handoffs with their steps; `rest` follows `FROM handoffs`. */
export function handoffRows({ db }: Context, rest: string, ...values: SqlValue[]): HandoffRow[] {
  return db.all<HandoffRow>(
    `SELECT handoffs.*, (
       SELECT json_group_array(json_object('step', step, 'at', at) ORDER BY number)
       FROM handoff_steps WHERE handoff_id = handoffs.id
     ) AS steps FROM handoffs ${rest}`,
    ...values,
  );
}

/** The handoff that was just written. */
export function handoffOf(context: Context, id: HandoffId): Handoff {
  const row = handoffRow(context, id);
  if (!row) throw new TypeError("A handoff was lost within its own transaction.");
  return toHandoff(context, row);
}

export function handoffRow(context: Context, id: HandoffId): HandoffRow | undefined {
  return handoffRows(context, "WHERE id = ?", id)[0];
}

/** The pending or running handoff of a session. Fails one that nobody claimed in time. */
export function inFlightRow(context: Context, sessionId: SessionId): HandoffRow | undefined {
  const row = handoffRows(context, "WHERE session_id = ? AND state IN ('pending', 'running')", sessionId)[0];
  return row && !failExpired(context, row) ? row : undefined;
}

/** The handoff that keeps other turns out of a session: requested, and not answered yet. */
export function holdingHandoff(context: Context, sessionId: SessionId): HandoffRow | undefined {
  const row = inFlightRow(context, sessionId);
  return row && !hasReached(row, "answered") ? row : undefined;
}

/** Throws HANDOFF_IN_FLIGHT. */
export function assertNoneInFlight(context: Context, sessionId: SessionId): void {
  const row = inFlightRow(context, sessionId);
  if (row) throw inFlightError(toHandoff(context, row), context.clock.now());
}

/** Whether nobody claimed a handoff in time. While a turn runs in the session, nobody can. */
export function isExpired(context: Context, row: HandoffRow): boolean {
  if (row.state !== "pending" || since(context.clock, row.expires_at, row.expires_steady) < 0) return false;
  return liveTurn(context, row.session_id) === undefined;
}

/** Lets the time of a pending handoff begin anew: a turn that is in its way still runs, or has just ended. */
export function putOffExpiry({ db, clock }: Context, sessionId: SessionId): void {
  const row = db.get<{ id: HandoffId; ttl_ms: number | null }>(
    "SELECT id, ttl_ms FROM handoffs WHERE session_id = ? AND state = 'pending'",
    sessionId,
  );
  if (row?.ttl_ms == null) return;
  db.run(
    "UPDATE handoffs SET expires_at = ?, expires_steady = ? WHERE id = ?",
    clock.now() + row.ttl_ms,
    steadyIn(clock, row.ttl_ms),
    row.id,
  );
}

/** Fails a handoff that nobody claimed in time. Returns false for any other. */
export function failExpired(context: Context, row: HandoffRow): boolean {
  if (!isExpired(context, row)) return false;
  const seconds = (row.ttl_ms ?? row.expires_at - row.requested_at) / 1000;
  const { code, message, hint } = new HermesError("HANDOFF_NOT_CLAIMED", { seconds });
  // Of one that went by itself nobody else says what to do.
  endHandoff(context, row, "failed", { code, text: row.away === 1 ? `${message} ${hint}` : message });
  return true;
}

/** The running handoff of a holder, even with an expired lease that nobody has taken over; else undefined. */
export function heldHandoff(context: Context, id: HandoffId, holder: Holder): HandoffRow | undefined {
  const row = handoffRow(context, id);
  return row?.state === "running" && row.holder_id === holder.id ? row : undefined;
}

/** The running handoff of a holder with a live lease; else undefined. */
export function leasedHandoff(context: Context, id: HandoffId, holder: Holder): HandoffRow | undefined {
  const row = heldHandoff(context, id, holder);
  return row && isLive(context, row) ? row : undefined;
}

export function hasReached(row: Pick<HandoffRow, "step">, step: HandoffStep): boolean {
  return row.step !== null && STEPS.indexOf(row.step) >= STEPS.indexOf(step);
}

/** Records a step, unless it or a later one is recorded already. */
export function reachStep(context: Context, row: Pick<HandoffRow, "id" | "step">, step: HandoffStep): void {
  if (hasReached(row, step)) return;
  context.db.run("UPDATE handoffs SET step = ? WHERE id = ?", step, row.id);
  addStep(context, row.id, step);
}

export function addStep({ db, clock }: Context, id: HandoffId, step: HandoffStep | HandoffState): void {
  db.run(
    `INSERT INTO handoff_steps (handoff_id, number, step, at)
     SELECT $id, count(*), $step, $now FROM handoff_steps WHERE handoff_id = $id`,
    { id, step, now: clock.now() },
  );
}

export function endHandoff(
  context: Context,
  row: Pick<HandoffRow, "id">,
  state: "completed" | "failed",
  error: StoredError | null,
): void {
  context.db.run(
    "UPDATE handoffs SET state = ?, ended_at = ?, lease_until = NULL, error_code = ?, error_text = ? WHERE id = ?",
    state,
    context.clock.now(),
    error?.code ?? null,
    error && cut(readable(error.text), ERROR_LIMIT),
    row.id,
  );
  // Nobody looked on: a terminal says why. Who cancels it knows.
  if (state === "failed" && error?.code !== "HANDOFF_CANCELLED") {
    context.db.run("UPDATE handoffs SET offered = 1 WHERE id = ? AND away = 1", row.id);
  }
  // A turn that was to be parked for it goes on where it is.
  context.db.run(
    `UPDATE turns SET park_requested = 0
     WHERE ended_at IS NULL AND session_id = (SELECT session_id FROM handoffs WHERE id = ?)`,
    row.id,
  );
  addStep(context, row.id, state);
}

export function addWarning({ db }: Context, id: HandoffId, warning: string): void {
  db.run("UPDATE handoffs SET warnings = json_insert(warnings, '$[#]', ?) WHERE id = ?", readable(warning), id);
}

/** Records that the answer is stored. */
export function noteAnswered(context: Context, id: HandoffId): void {
  const row = handoffRow(context, id);
  if (row?.state !== "running") return;
  reachStep(context, row, "answered");
  noteDelivered(context, id);
}

/** Records that an answered handoff is delivered, if none of its rows waits, was refused or is held back. */
export function noteDelivered(context: Context, id: HandoffId): void {
  const row = handoffRow(context, id);
  if (row?.state !== "running" || row.step !== "answered") return;
  const left = context.db.get(
    `SELECT 1 FROM outbox WHERE handoff_id = ?
       AND (state IN ('queued', 'sending', 'failed') OR (state = 'uncertain' AND by_hand_only = 1)) LIMIT 1`,
    id,
  );
  if (left === undefined) reachStep(context, row, "delivered");
}
