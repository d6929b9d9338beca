import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundMessage, Piece, SendReceipt } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import type { ErrorCode } from "../../base/error-table.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { ApprovalId } from "../../model/approval.ts";
import type { AskId } from "../../model/ask.ts";
import type { HandoffId } from "../../model/handoff.ts";
import type { NewOutboxEntry, OutboxFacts, OutboxId, OutboxRow, OutboxState } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Context, SqlValue } from "./connection.ts";
import { steadyIn, steadySince } from "./expiry.ts";

/** What a row is of its approval or ask: above the question, the question itself, or what closes it. */
export type ApprovalPart = "above" | "asks" | "closes";

export interface StoredOutboxRow {
  readonly id: OutboxId;
  readonly key: SessionKey;
  readonly position: number;
  readonly part: number;
  readonly platform: string;
  readonly account: string;
  readonly conversation: string;
  readonly message_id: number;
  readonly message: string;
  readonly piece: string | null;
  readonly state: OutboxState;
  /** The process that began its call, as JSON; null for one that an earlier Hermes began. */
  readonly sender: string | null;
  readonly session_id: SessionId | null;
  readonly turn_id: TurnId | null;
  readonly handoff_id: HandoffId | null;
  readonly draft_message_id: string | null;
  readonly draft_key: string | null;
  readonly edits: OutboxId | null;
  readonly approval_id: ApprovalId | AskId | null;
  readonly approval_part: ApprovalPart | null;
  readonly receipt: string | null;
  readonly confirmed: number;
  readonly attempts: number;
  readonly due_at: number;
  readonly due_steady: string | null;
  readonly error_code: ErrorCode | null;
  readonly error_text: string | null;
  /** When it was said below a notice. */
  readonly offered_at: number | null;
  /** The notice below which it is, or was, to be said again. */
  readonly offered_by: OutboxId | null;
  /** 1: it is said there by nobody but by hand. As long as nobody sends it, it is held back. */
  readonly by_hand_only: number;
  /** When the people at its place were told that it did not arrive. */
  readonly told_at: number | null;
  /**
   * How often it was to be sent again as another message: the platform had refused it later, it had been an edit, or it
   * may have arrived and was said below a notice.
   */
  readonly refused_late: number;
  readonly created_at: number;
}

/** A row without its message, which may be long and is shared by all its pieces, and without its piece. */
export type BareOutboxRow = Omit<StoredOutboxRow, "message" | "piece">;

/** The key with which a row is sent. */
export function sendKeyOf({ id, refused_late: times }: Pick<BareOutboxRow, "id" | "refused_late">): string {
  return times === 0 ? id : `${id}.${times}`;
}

export function toOutboxRow(context: Context, row: StoredOutboxRow): OutboxRow {
  return {
    ...toFacts(context, row),
    message: JSON.parse(row.message) as OutboundMessage,
    piece: row.piece === null ? null : (JSON.parse(row.piece) as Piece),
  };
}

export function toFacts(context: Context, row: BareOutboxRow): OutboxFacts {
  return {
    id: row.id,
    key: row.key,
    conversation: JSON.parse(row.conversation) as Conversation,
    state: row.state,
    mayStillGoOut: row.state === "sending" && mayBeAlive(context, row),
    isByHand: isByHandOnly(row) && (row.state === "queued" || row.state === "sending"),
    sendKey: sendKeyOf(row),
    sessionId: row.session_id,
    turnId: row.turn_id,
    handoffId: row.handoff_id,
    draftMessageId: row.draft_message_id,
    draftKey: row.draft_key,
    edits: row.edits,
    receipt: row.receipt === null ? null : (JSON.parse(row.receipt) as SendReceipt),
    confirmed: row.confirmed === 1,
    attempts: row.attempts,
    wasOffered: row.offered_at !== null,
    sender: senderIdOf(row),
    dueAt: dueAt(context.clock, row),
    error: row.error_code === null ? null : { code: row.error_code, text: row.error_text ?? "" },
    createdAt: row.created_at,
  };
}

/** Whether a row is said at its place by nobody but by hand. */
export function isByHandOnly(row: Pick<StoredOutboxRow, "by_hand_only">): boolean {
  return row.by_hand_only === 1;
}

/** Whether the process that began a row's last call is not known to be dead. */
export function mayBeAlive({ probe }: Context, { sender }: Pick<StoredOutboxRow, "sender">): boolean {
  return sender !== null && probe.fate(JSON.parse(sender)) !== "gone";
}

/** Whether what is said in a row is all that is left of its session, which was deleted. */
export const OF_DELETED_SESSION = `session_id IS NULL AND EXISTS (
  SELECT 1 FROM outbox_messages WHERE id = outbox.message_id AND json_extract(message, '$.tellsOf.deleted') IS NOT NULL
)`;

/** The id of the process that began a row's last call. */
export function senderIdOf({ sender }: Pick<StoredOutboxRow, "sender">): Holder["id"] | null {
  return sender === null ? null : (JSON.parse(sender) as Holder).id;
}

/**
 * When a row is due, in wall time. What waited before a reboot is due at once: the clock may have been set far back
 * since, and a retry that comes too early does no harm.
 */
function dueAt(clock: Clock, { due_at: wall, due_steady: steady }: BareOutboxRow): number {
  return steady === null ? wall : clock.now() - (steadySince(clock, steady) ?? 0);
}

/** Selects rows with their messages; `rest` follows the table name. */
export function outboxRows(context: Context, rest: string, ...values: SqlValue[]): StoredOutboxRow[] {
  return rowsFrom(context, "outbox", rest, ...values);
}

/**
 * Selects rows by a partial index. The query forces it: otherwise SQLite picks one that scans everything that was ever
 * sent there.
 */
export function indexedRows(
  context: Context,
  index: "outbox_of_lane" | "outbox_undelivered",
  rest: string,
  ...values: SqlValue[]
): StoredOutboxRow[] {
  return rowsFrom(context, `outbox INDEXED BY ${index}`, rest, ...values);
}

function rowsFrom({ db }: Context, from: string, rest: string, ...values: SqlValue[]): StoredOutboxRow[] {
  return db.all<StoredOutboxRow>(
    `SELECT *, (SELECT message FROM outbox_messages WHERE id = outbox.message_id) AS message FROM ${from} ${rest}`,
    ...values,
  );
}

/** The columns of a {@link BareOutboxRow}. */
export const BARE_COLUMNS = `id, key, position, part, platform, account, conversation, message_id, state, sender, session_id,
  turn_id, handoff_id, draft_message_id, draft_key, edits, approval_id, approval_part, receipt, confirmed, attempts,
  due_at, due_steady, error_code, error_text, offered_at, offered_by, by_hand_only, refused_late, created_at`;

/** Selects rows without what they say; `rest` follows the table name. */
export function bareOutboxRows({ db }: Context, rest: string, ...values: SqlValue[]): BareOutboxRow[] {
  return db.all<BareOutboxRow>(`SELECT ${BARE_COLUMNS} FROM outbox ${rest}`, ...values);
}

/** Reads a row as it is without what it says. Throws if there is no such row. */
export function bareOutboxRow(context: Context, id: OutboxId): BareOutboxRow {
  const [row] = bareOutboxRows(context, "WHERE id = ?", id);
  // A programming error: ids come from the outbox itself, and rows stay for weeks.
  if (!row) throw new TypeError(`There is no outbox row ${id}.`);
  return row;
}

/** A row in its public form. Throws if there is no such row. */
export function readOutboxRow(context: Context, id: OutboxId): OutboxRow {
  const row = outboxRows(context, "WHERE id = ?", id)[0];
  if (!row) throw new TypeError(`There is no outbox row ${id}.`);
  return toOutboxRow(context, row);
}

/** The oldest row of a lane that is queued or sending, and is not the row `behind`. */
export function outboxHead(context: Context, key: SessionKey, behind?: OutboxId): StoredOutboxRow | undefined {
  return indexedRows(
    context,
    "outbox_of_lane",
    "WHERE key = +? AND state IN ('queued', 'sending') AND id IS NOT ? ORDER BY position, part LIMIT 1",
    key,
    behind ?? null,
  )[0];
}

/**
 * Adds entries at the end of their lanes; returns the ids of their rows. Fields that an entry leaves out come from `of`; a
 * session that is null stays so.
 */
export function enqueue(
  context: Context,
  entries: readonly NewOutboxEntry[],
  of: Pick<NewOutboxEntry, "sessionId" | "turnId" | "handoffId"> & {
    readonly approvalId?: ApprovalId | AskId;
    readonly approvalPart?: ApprovalPart;
    readonly draftMessageId?: string | null;
  },
): OutboxId[] {
  const { db, clock, ids } = context;
  return entries.map((entry) => {
    const id = ids.next("out") as OutboxId;
    const message = db.get<{ id: number }>(
      "INSERT INTO outbox_messages (message) VALUES (?) RETURNING id",
      JSON.stringify(entry.message),
    );
    db.run(
      `INSERT INTO outbox (
         id, key, position, part, platform, account, conversation, message_id, state, session_id, turn_id, handoff_id,
         approval_id, approval_part, draft_message_id, edits, due_at, due_steady, created_at
       ) VALUES (
         $id, $key, (SELECT coalesce(max(position), 0) + 1 FROM outbox WHERE key = +$key), 0, $platform, $account,
         $conversation, $message, 'queued', $session, $turn, $handoff, $approval, $approvalPart, $draft,
         $edits, $now, $steady, $now
       )`,
      {
        id,
        key: entry.key,
        platform: entry.conversation.platform,
        account: entry.conversation.account ?? "",
        conversation: JSON.stringify(entry.conversation),
        message: message?.id ?? null,
        session: (entry.sessionId === undefined ? of.sessionId : entry.sessionId) ?? null,
        turn: entry.turnId ?? of.turnId ?? null,
        handoff: entry.handoffId ?? of.handoffId ?? null,
        approval: of.approvalId ?? null,
        approvalPart: of.approvalPart ?? null,
        draft: of.draftMessageId ?? null,
        edits: entry.edits ?? null,
        now: clock.now(),
        steady: steadyIn(clock, 0),
      },
    );
    return id;
  });
}
