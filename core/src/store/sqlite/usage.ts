import { type LimitRaise, subjectOfSession } from "../../model/limit.ts";
import type { SessionId } from "../../model/session.ts";
import {
  dayOf,
  type LastUsage,
  type NewUsage,
  type UsageBy,
  type UsageFilter,
  type UsageSum,
} from "../../model/usage.ts";
import type { UsageStore } from "../usage-store.ts";
import type { Context, SqlValue } from "./connection.ts";
import { readable } from "./text.ts";
import type { TurnRow } from "./turn-rows.ts";

const TOKENS = "input + cache_read + cache_write + output";

const SUMS = `coalesce(sum(requests), 0) AS requests, coalesce(sum(input), 0) AS input,
  coalesce(sum(cache_read), 0) AS cacheRead, coalesce(sum(cache_write), 0) AS cacheWrite,
  coalesce(sum(output), 0) AS output, coalesce(sum(cost), 0) AS cost,
  coalesce(sum(CASE WHEN cost IS NULL THEN ${TOKENS} ELSE 0 END), 0) AS unpriced,
  coalesce(sum(CASE WHEN is_estimated = 1 THEN requests ELSE 0 END), 0) AS estimated`;

const COLUMNS: Readonly<Record<UsageBy, string>> = {
  turn: "turn_id",
  session: "session_id",
  day: "day",
  person: "person",
  model: "model",
};

interface GroupRow extends UsageSum {
  readonly key: string | null;
  readonly sessionId: SessionId | null;
  readonly firstAt: number;
  readonly lastAt: number;
}

export function sqliteUsage(context: Context): UsageStore {
  const { db } = context;
  return {
    lastOf: (sessionId) =>
      db.read(() => {
        const row = db.get<Omit<LastUsage, "isEstimated"> & { readonly isEstimated: number }>(
          `SELECT input, cache_read AS cacheRead, cache_write AS cacheWrite, output, model, seq, at,
             is_estimated AS isEstimated
           FROM usage WHERE session_id = +$session AND kind = 'message' AND EXISTS (
             SELECT 1 FROM messages WHERE session_id = +$session AND seq = usage.seq AND hidden_at IS NULL
           ) ORDER BY number DESC LIMIT 1`,
          { session: sessionId },
        );
        return row ? { ...row, isEstimated: row.isEstimated === 1 } : null;
      }),

    sum: (filter) =>
      db.read(() => {
        const { sql, values } = conditionOf(filter);
        const sum = db.get<UsageSum>(`SELECT ${SUMS} FROM usage WHERE ${sql}`, ...values);
        if (sum === undefined) throw new TypeError("A sum has one row.");
        return sum;
      }),

    raised: (subject) =>
      db.read(() => {
        const sum = db.get<Omit<LimitRaise, "subject">>(
          "SELECT coalesce(sum(cost), 0) AS cost, coalesce(sum(tokens), 0) AS tokens FROM limit_raises WHERE subject = ?",
          subject,
        );
        return { subject, cost: 0, tokens: 0, ...sum };
      }),

    raise: (raise, once) => db.write(() => raiseLimit(context, raise, once)),

    groups: (by, { limit, ...filter }) =>
      db.read(() => {
        const { sql, values } = conditionOf(filter);
        const key = COLUMNS[by];
        return db.all<GroupRow>(
          `SELECT ${key} AS key, ${by === "turn" ? "min(session_id)" : "NULL"} AS sessionId, min(at) AS firstAt,
             max(at) AS lastAt, ${SUMS}
           FROM usage WHERE ${sql} GROUP BY ${key} ORDER BY lastAt DESC, max(number) DESC LIMIT ?`,
          ...values,
          limit,
        );
      }),
  };
}

function conditionOf({ session, person, day, since }: UsageFilter): {
  readonly sql: string;
  readonly values: readonly SqlValue[];
} {
  const parts: readonly (readonly [string, SqlValue | undefined])[] = [
    ["session_id = ?", session],
    ["person = ?", person],
    ["day = ?", day],
    ["at >= ?", since],
  ];
  const set = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return {
    sql: ["TRUE", ...set.map((part) => part.sql)].join(" AND "),
    values: set.map(({ value }) => value),
  };
}

/** Keeps what the requests of a turn used; `seq`: the message that the last of them gave. For use inside a transaction. */
export function addUsage(
  { db, clock }: Context,
  turn: Pick<TurnRow, "id" | "session_id">,
  usage: readonly NewUsage[],
  seq: number | null,
): void {
  const at = clock.now();
  for (const { kind, person, model, cost, isEstimated, ...tokens } of usage) {
    db.run(
      `INSERT INTO usage (
         session_id, turn_id, seq, kind, person, model, day, at, input, cache_read, cache_write, output, cost,
         is_estimated
       ) VALUES (
         $session, $turn, $seq, $kind, $person, $model, $day, $at, $input, $cacheRead, $cacheWrite, $output, $cost,
         $isEstimated
       )`,
      {
        ...{ session: turn.session_id, turn: turn.id, seq: kind === "message" ? seq : null, kind, person, at },
        ...{ model: readable(model), day: dayOf(at), cost, isEstimated: isEstimated ? 1 : 0 },
        ...{ input: tokens.input, cacheRead: tokens.cacheRead },
        ...{ cacheWrite: tokens.cacheWrite, output: tokens.output },
      },
    );
  }
}

/** See UsageStore. For use inside a transaction. */
export function raiseLimit({ db, clock }: Context, { subject, cost, tokens }: LimitRaise, once: string | null): void {
  db.run(
    `INSERT INTO limit_raises (subject, once, cost, tokens, at) VALUES ($subject, $once, $cost, $tokens, $at)
     ON CONFLICT (once) DO NOTHING`,
    { subject, once, cost, tokens, at: clock.now() },
  );
}

/** Leaves of what a session used the sums of each day, without the session. For use inside a transaction. */
export function forgetSessionOf({ db }: Context, sessionId: SessionId): void {
  db.run(
    `INSERT INTO usage (
       kind, person, model, day, at, requests, input, cache_read, cache_write, output, cost, is_estimated
     ) SELECT 'deleted', person, model, day, max(at), sum(requests), sum(input), sum(cache_read), sum(cache_write),
       sum(output), sum(cost), is_estimated
     FROM usage WHERE session_id = ? GROUP BY person, model, day, cost IS NULL, is_estimated`,
    sessionId,
  );
  db.run("DELETE FROM usage WHERE session_id = ?", sessionId);
  db.run("DELETE FROM limit_raises WHERE subject = ?", subjectOfSession(sessionId));
}
