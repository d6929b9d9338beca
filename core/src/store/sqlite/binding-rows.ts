import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Binding } from "../../model/binding.ts";
import type { HandoffId } from "../../model/handoff.ts";
import type { SessionId } from "../../model/session.ts";
import type { Context } from "./connection.ts";
import { sessionRow } from "./session-rows.ts";

export interface BindingRow {
  readonly key: SessionKey;
  readonly conversation: string;
  readonly session_id: SessionId;
  readonly previous_session_id: SessionId | null;
  readonly mirrors: number;
  readonly bound_at: number;
  readonly used_at: number;
  readonly handoff_id: HandoffId | null;
  /** The row that this one replaced, as JSON. */
  readonly replaced: string | null;
}

export function toBinding(row: BindingRow): Binding {
  return {
    key: row.key,
    conversation: JSON.parse(row.conversation) as Conversation,
    sessionId: row.session_id,
    previousSessionId: row.previous_session_id,
    mirrors: row.mirrors === 1,
    boundAt: row.bound_at,
    usedAt: row.used_at,
  };
}

export function bindingRow({ db }: Context, key: SessionKey): BindingRow | undefined {
  return db.get<BindingRow>("SELECT * FROM bindings WHERE key = ?", key);
}

/** The bindings of a session, the most recently used first. */
export function bindingsOf({ db }: Context, sessionId: SessionId): Binding[] {
  return db
    .all<BindingRow>("SELECT * FROM bindings WHERE session_id = +? ORDER BY used_at DESC, bound_at DESC", sessionId)
    .map(toBinding);
}

/** The binding that a handoff made, if it still exists. */
export function bindingOfHandoff({ db }: Context, id: HandoffId): BindingRow | undefined {
  return db.get<BindingRow>("SELECT * FROM bindings WHERE handoff_id = ?", id);
}

/** Binds a key; the session that it was bound to before is kept as the previous one. */
export function putBinding(
  context: Context,
  binding: Pick<Binding, "key" | "conversation" | "sessionId" | "mirrors">,
  by: { readonly handoffId: HandoffId | null; readonly replaced: BindingRow | null } = {
    handoffId: null,
    replaced: null,
  },
): BindingRow {
  const former = bindingRow(context, binding.key);
  const isSame = former?.session_id === binding.sessionId;
  const now = context.clock.now();
  const row: BindingRow = {
    key: binding.key,
    conversation: JSON.stringify(binding.conversation),
    session_id: binding.sessionId,
    previous_session_id: (isSame ? former?.previous_session_id : former?.session_id) ?? null,
    mirrors: binding.mirrors ? 1 : 0,
    bound_at: now,
    used_at: now,
    handoff_id: by.handoffId,
    replaced: by.replaced && JSON.stringify(toReplace(context, by.replaced)),
  };
  writeRow(context, row);
  return row;
}

/** A row that was replaced, with those that were before it. */
type ReplacedRow = Omit<BindingRow, "replaced"> & { readonly replaced: ReplacedRow | null };

/** A row with what it replaced as long as its handoff is running and may fail: earlier rows would only pile up. */
function toReplace({ db }: Context, row: BindingRow): ReplacedRow {
  const isRunning = db.get("SELECT 1 FROM handoffs WHERE id = ? AND state = 'running'", row.handoff_id) !== undefined;
  return isRunning ? { ...row, replaced: replacedBy(row) } : { ...row, handoff_id: null, replaced: null };
}

/**
 * Moves a binding, with all that it replaced, to another key, where it replaces what is bound there. Where that is the
 * same place under another id, what it replaced comes back first, else what was bound there.
 */
export function moveBindingRow(
  context: Context,
  moved: BindingRow,
  to: Pick<Binding, "key" | "conversation">,
  isSamePlace: boolean,
): void {
  const at = { key: to.key, conversation: JSON.stringify(to.conversation) };
  const there = bindingRow(context, to.key);
  const [own, theirs] = [movedTo(at, replacedBy(moved)), there ? toReplace(context, there) : null];
  const replaced = isSamePlace ? above(own, theirs) : above(theirs, own);
  const isOther = there !== undefined && there.session_id !== moved.session_id;
  writeRow(context, {
    ...{ ...moved, ...at },
    previous_session_id: isOther ? there.session_id : moved.previous_session_id,
    bound_at: context.clock.now(),
    replaced: replaced && JSON.stringify(replaced),
  });
  context.db.run("DELETE FROM bindings WHERE key = ?", moved.key);
}

function movedTo(at: Pick<BindingRow, "key" | "conversation">, row: ReplacedRow | null): ReplacedRow | null {
  return row && { ...row, ...at, replaced: movedTo(at, row.replaced) };
}

function above(upper: ReplacedRow | null, lower: ReplacedRow | null): ReplacedRow | null {
  return upper === null ? lower : { ...upper, replaced: above(upper.replaced, lower) };
}

/** Takes back the binding that a handoff made, also where other handoffs have replaced it since. */
export function unbindHandoff(context: Context, id: HandoffId): void {
  const row = bindingOfHandoff(context, id);
  if (row !== undefined) restoreReplaced(context, row);
  for (const above of context.db.all<BindingRow>("SELECT * FROM bindings WHERE instr(replaced, ?)", id)) {
    const replaced = withoutHandoff(replacedBy(above), id);
    context.db.run("UPDATE bindings SET replaced = ? WHERE key = ?", replaced && JSON.stringify(replaced), above.key);
  }
}

function withoutHandoff(row: ReplacedRow | null, id: HandoffId): ReplacedRow | null {
  if (row === null || row.handoff_id === id) return row?.replaced ?? null;
  return { ...row, replaced: withoutHandoff(row.replaced, id) };
}

function replacedBy({ replaced }: BindingRow): ReplacedRow | null {
  return replaced === null ? null : (JSON.parse(replaced) as ReplacedRow);
}

/** Restores the last replaced binding whose session is still there; deletes the binding if there is none. */
function restoreReplaced(context: Context, row: BindingRow): void {
  let former = replacedBy(row);
  while (former && !sessionRow(context, former.session_id)) former = former.replaced;
  if (!former) {
    context.db.run("DELETE FROM bindings WHERE key = ?", row.key);
    return;
  }
  const { replaced, previous_session_id: previous } = former;
  const isKnown = previous !== null && sessionRow(context, previous) !== undefined;
  writeRow(context, {
    ...former,
    previous_session_id: isKnown ? previous : null,
    replaced: replaced && JSON.stringify(replaced),
  });
}

function writeRow({ db }: Context, row: BindingRow): void {
  db.run("DELETE FROM let_go WHERE key = ?", row.key);
  db.run(
    `INSERT OR REPLACE INTO bindings (
       key, conversation, session_id, previous_session_id, mirrors, bound_at, used_at, handoff_id, replaced
     ) VALUES (
       $key, $conversation, $session_id, $previous_session_id, $mirrors, $bound_at, $used_at, $handoff_id, $replaced
     )`,
    { ...row },
  );
}
