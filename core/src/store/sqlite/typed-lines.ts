import type { Holder } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import type { LineId, TypedLine } from "../../model/typed-line.ts";
import type { TypedLines } from "../message-stores.ts";
import type { Context } from "./connection.ts";
import { isLive, type LeaseEnd, leaseEnd } from "./leases.ts";
import { sessionRow, unknownSession } from "./session-rows.ts";
import { readable } from "./text.ts";

interface LineRow extends LeaseEnd {
  readonly id: LineId;
  readonly session_id: SessionId;
  readonly text: string;
  readonly holder: string;
  readonly typed_at: number;
}

export function sqliteTypedLines(context: Context): TypedLines {
  const { db, clock } = context;
  return {
    keep: (sessionId, lines, holder, leaseMs) =>
      db.write(() => {
        if (!sessionRow(context, sessionId)) throw unknownSession(sessionId);
        keepLines(context, sessionId, lines, holder, leaseMs);
      }),

    renew: (holder, leaseMs) =>
      db.write(
        () =>
          db.run(
            "UPDATE typed_lines SET lease_until = $lease_until, lease_steady = $lease_steady WHERE holder_id = $holder",
            { ...leaseEnd(clock, leaseMs), holder: holder.id },
          ) > 0,
      ),

    remove: (ids, holder) => db.write(() => removeLines(context, ids, holder)),

    release: (holder) =>
      db.write(() => {
        db.run("UPDATE typed_lines SET lease_until = 0, lease_steady = NULL WHERE holder_id = ?", holder.id);
      }),

    left: (sessionId) => db.read(() => leftLines(context, sessionId).map(toLine)),

    takeOver: (ids, holder, leaseMs) =>
      db.write(() => {
        const taken = leftLines(context).filter(({ id }) => ids.includes(id));
        for (const { id } of taken) {
          db.run(
            `UPDATE typed_lines SET holder_id = $holder_id, holder = $holder,
               lease_until = $lease_until, lease_steady = $lease_steady
             WHERE id = $id`,
            { id, holder_id: holder.id, holder: JSON.stringify(holder), ...leaseEnd(clock, leaseMs) },
          );
        }
        return taken.map(toLine);
      }),
  };
}

/** Stores lines of an existing session. For use inside a transaction, like the functions below. */
export function keepLines(
  { db, clock }: Context,
  sessionId: SessionId,
  lines: readonly Pick<TypedLine, "id" | "text">[],
  holder: Holder,
  leaseMs: number,
): void {
  const typed = { session_id: sessionId, holder_id: holder.id, holder: JSON.stringify(holder), typed_at: clock.now() };
  const end = leaseEnd(clock, leaseMs);
  for (const { id, text } of lines) {
    db.run(
      `INSERT OR IGNORE INTO typed_lines (
         id, session_id, text, holder_id, holder, lease_until, lease_steady, typed_at
       ) VALUES ($id, $session_id, $text, $holder_id, $holder, $lease_until, $lease_steady, $typed_at)`,
      { ...typed, ...end, id, text: readable(text) },
    );
  }
}

function leftLines(context: Context, sessionId?: SessionId): LineRow[] {
  const rows =
    sessionId === undefined
      ? context.db.all<LineRow>("SELECT * FROM typed_lines ORDER BY number")
      : context.db.all<LineRow>("SELECT * FROM typed_lines WHERE session_id = ? ORDER BY number", sessionId);
  return rows.filter((row) => !isLive(context, row));
}

function toLine({ id, session_id, text, typed_at }: LineRow): TypedLine {
  return { id, sessionId: session_id, text, typedAt: typed_at };
}

/** Removes lines of a holder. Returns how many. */
export function removeLines({ db }: Context, ids: readonly LineId[], holder: Holder): number {
  return ids.reduce(
    (count, id) => count + db.run("DELETE FROM typed_lines WHERE id = ? AND holder_id = ?", id, holder.id),
    0,
  );
}

/** Whether the holder has all of the lines. */
export function holdsLines({ db }: Context, ids: readonly LineId[], holder: Holder): boolean {
  return ids.every(
    (id) => db.get("SELECT 1 FROM typed_lines WHERE id = ? AND holder_id = ?", id, holder.id) !== undefined,
  );
}

/** Moves a holder's lines to the session in which its turn has just started. */
export function moveLines({ db }: Context, holder: Holder, to: SessionId): void {
  db.run("UPDATE typed_lines SET session_id = ? WHERE holder_id = ?", to, holder.id);
}
