import type { NewAsk } from "../../model/ask.ts";
import type { UserId } from "../../model/session.ts";
import { type AskRow, askRow, askRows } from "./ask-rows.ts";
import type { Context } from "./connection.ts";
import { since, steadyIn } from "./expiry.ts";
import { closeAsk, showAsk } from "./questions.ts";

/** Keeps a question and queues it. For use inside a transaction, like everything here. */
export function openAsk(context: Context, ask: NewAsk): AskRow {
  const { db, clock } = context;
  const [first, ...others] = ask.at;
  const now = clock.now();
  db.run(
    `INSERT INTO asks (
       id, kind, state, person, surface, session_id, fresh_id, message, outcomes, created_at, expires_at, expires_steady
     ) VALUES ($id, $kind, 'open', $person, $surface, $session, $fresh, $message, $outcomes, $now, $expires, $steady)`,
    {
      ...{ id: ask.id, kind: ask.kind, person: ask.person, session: ask.sessionId, fresh: ask.fresh ?? null, now },
      surface: first === "terminal" ? first : first.key,
      message: JSON.stringify(ask.message),
      outcomes: JSON.stringify(ask.outcomes),
      expires: now + ask.ttlMs,
      steady: steadyIn(clock, ask.ttlMs),
    },
  );
  const row = askRow(context, ask.id);
  if (row === undefined) throw new TypeError("An ask was lost within its own transaction.");
  for (const place of [first, ...others]) if (place !== "terminal") showAsk(context, row, place);
  return row;
}

/** Ends a question and closes it wherever it stands. */
export function endAsk(context: Context, row: AskRow, state: Exclude<AskRow["state"], "open">): AskRow {
  context.db.run("UPDATE asks SET state = ?, decided_at = ? WHERE id = ?", state, context.clock.now(), row.id);
  const ended = { ...row, state };
  closeAsk(context, ended);
  return ended;
}

/** Closes the questions that nobody answered in time. One that was taken waits for the answer that grows. */
export function settleLateAsks(context: Context): void {
  for (const row of lateAsks(context)) endAsk(context, row, "expired");
}

/** Closes what a person is offered, though they have taken it and an answer is waited for: they lose the right to it. */
export function expireAsksOf(context: Context, person: UserId): void {
  const theirs = askRows(context, "kind = 'offer' AND state = 'open' AND person = ? AND surface <> 'terminal'", person);
  for (const row of theirs) endAsk(context, row, "expired");
}

/** Few are open at a time. */
function lateAsks(context: Context): AskRow[] {
  return askRows(context, "state = 'open' AND wanted_at IS NULL").filter(
    ({ expires_at: at, expires_steady: steady }) => since(context.clock, at, steady) >= 0,
  );
}

/** Reads, and writes first only if a question is late. */
export async function whenAsksSettled<T>(context: Context, read: () => T): Promise<T> {
  const { db } = context;
  const found = await db.read(() => (lateAsks(context).length > 0 ? null : { value: read() }));
  if (found !== null) return found.value;
  return db.write(() => {
    settleLateAsks(context);
    return read();
  });
}
