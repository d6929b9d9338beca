import { type CompactedFacts, type Compaction, compactionMarker, type NewCompaction } from "../../model/compaction.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import type { KeptState } from "../../model/work-state.ts";
import type { CompactionStore } from "../compaction-store.ts";
import type { Context } from "./connection.ts";
import { addMessages } from "./messages.ts";
import { readable } from "./text.ts";
import { ownTurn, type TurnRow } from "./turn-rows.ts";
import { addUsage } from "./usage.ts";

interface CompactionRow {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly up_to: number;
  readonly told_at: number;
  readonly summary: string;
  readonly facts: string;
  readonly work: string | null;
  readonly messages: number;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly created_at: number;
}

export function sqliteCompactions(context: Context): CompactionStore {
  const { db } = context;
  return {
    add: (turnId, fence, compaction, usage = []) =>
      db.write(() => {
        const turn = ownTurn(context, turnId, fence);
        addUsage(context, turn, usage, null);
        return add(context, turn, compaction);
      }),
    latest: (sessionId) => db.read(() => newest(context, sessionId, 1)[0] ?? null),
    list: (sessionId, limit) => db.read(() => newest(context, sessionId, limit)),
  };
}

function add(context: Context, turn: TurnRow, compaction: NewCompaction): Compaction {
  const { db, clock } = context;
  const { session_id: sessionId, id: turnId } = turn;
  const before = newest(context, sessionId, 1)[0]?.upTo ?? 0;
  if (compaction.upTo <= before) throw new TypeError("A compaction stands for more than the one before.");
  const [told] = addMessages(context, sessionId, turnId, [
    { role: "assistant", text: compactionMarker(compaction), internal: true },
  ]);
  const row: CompactionRow = {
    session_id: sessionId,
    turn_id: turnId,
    up_to: compaction.upTo,
    told_at: told?.seq ?? 0,
    summary: readable(compaction.summary),
    facts: JSON.stringify(compaction.facts),
    work: compaction.work === null ? null : JSON.stringify(compaction.work),
    messages: compaction.messages,
    tokens_before: compaction.tokensBefore,
    tokens_after: compaction.tokensAfter,
    created_at: clock.now(),
  };
  db.run(
    `INSERT INTO compactions (
       session_id, turn_id, up_to, told_at, summary, facts, work, messages, tokens_before, tokens_after, created_at
     ) VALUES (
       $session_id, $turn_id, $up_to, $told_at, $summary, $facts, $work, $messages, $tokens_before, $tokens_after,
       $created_at
     )`,
    { ...row },
  );
  if (row.work !== null) db.run("UPDATE sessions SET state = ? WHERE id = ?", row.work, sessionId);
  return toCompaction(row);
}

function newest({ db }: Context, sessionId: SessionId, limit: number): Compaction[] {
  return db
    .all<CompactionRow>(
      "SELECT * FROM compactions WHERE session_id = +? ORDER BY number DESC LIMIT +?",
      sessionId,
      limit,
    )
    .map(toCompaction);
}

function toCompaction(row: CompactionRow): Compaction {
  return {
    sessionId: row.session_id,
    turnId: row.turn_id,
    upTo: row.up_to,
    toldAt: row.told_at,
    summary: row.summary,
    facts: JSON.parse(row.facts) as CompactedFacts,
    work: row.work === null ? null : (JSON.parse(row.work) as KeptState),
    messages: row.messages,
    tokensBefore: row.tokens_before,
    tokensAfter: row.tokens_after,
    createdAt: row.created_at,
  };
}
