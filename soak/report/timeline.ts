import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Judgement } from "../ledger/judge.ts";
import type { Ledger, Note } from "../ledger/ledger.ts";
import type { StoreFile } from "../store-file.ts";

/** Around a message's own events this much of everything else is told, in milliseconds. */
const AROUND_MS = 4_000;

const MOST_LOG_LINES = 25;

/** All that is known of one message: its own events, what happened meanwhile, the store's rows, lines of the log. */
export function timelineOf(
  { asked, verdict, fault }: Judgement,
  { ledger, file, home, startedAt }: { ledger: Ledger; file: StoreFile; home: string; startedAt: number },
): string {
  const own = ledger.notes.filter(({ token }) => token === asked.token);
  const from = (own[0]?.at ?? asked.at) - AROUND_MS;
  const to = (own.at(-1)?.at ?? asked.at) + AROUND_MS;
  const around = ledger.notes.filter(
    ({ at, token, platform }) =>
      at >= from && at <= to && token === undefined && (platform === undefined || platform === asked.platform),
  );
  const events = [...own, ...around].sort((a, b) => a.at - b.at).map(line);
  const rows = rowsOf(asked.token, asked.messageId, file);
  const ids = rows
    .flatMap(({ row }) => Object.values(row))
    .filter((value) => /^(inb|trn|out|hof)_\w+$/.test(String(value)));
  const log = logLines(home, [asked.token, ...ids.map(String)]);
  return [
    `${asked.token} on ${asked.platform}: ${verdict}${fault === null ? "" : ` (${fault})`}`,
    ...events,
    ...rows.map(({ table, row }) => `  store ${table} ${JSON.stringify(row, timesSince(startedAt))}`),
    ...log.map((text) => `  log ${text}`),
  ].join("\n");
}

function line({ at, what, token }: Note): string {
  return `  ${(at / 1000).toFixed(2).padStart(8)} s ${token === undefined ? "· " : ""}${what}`;
}

/** The store's rows about a message, whichever way they name it. */
function rowsOf(token: string, messageId: string | null, file: StoreFile) {
  const holds = `%${token}%`;
  const inbox = file.rows(
    `SELECT id, key, state, received_at, done_at FROM inbox WHERE message LIKE ? OR message_id = ?
       OR id IN (SELECT inbox_id FROM turns WHERE id IN (SELECT turn_id FROM messages WHERE text LIKE ?))`,
    ...[holds, messageId, holds],
  );
  const turns = file.rows(
    `SELECT id, session_id, inbox_id, handoff_id, state, attempt, fence, tool_started, started_at, ended_at FROM turns
     WHERE id IN (SELECT turn_id FROM messages WHERE text LIKE ?)`,
    holds,
  );
  const messages = file.rows(
    "SELECT seq, turn_id, role, internal, hidden_at, created_at, substr(text, 1, 60) AS text FROM messages WHERE text LIKE ?",
    holds,
  );
  const outbox = file.rows(
    `SELECT o.id, o.key, o.part, o.state, o.turn_id, o.draft_message_id, o.receipt_message_id, o.attempts, o.error_code,
       o.error_text, o.offered_at, o.by_hand_only, o.created_at, o.due_at
     FROM outbox o JOIN outbox_messages m ON m.id = o.message_id WHERE m.message LIKE ?`,
    holds,
  );
  const drafts = file.rows(
    "SELECT turn_id, message_id FROM drafts WHERE turn_id IN (SELECT turn_id FROM messages WHERE text LIKE ?)",
    holds,
  );
  const named = { inbox, turns, messages, outbox, drafts };
  return Object.entries(named).flatMap(([table, rows]) => rows.map((row) => ({ table, row })));
}

/** Times as the events have them. */
function timesSince(startedAt: number) {
  return (key: string, value: unknown) =>
    key.endsWith("_at") && typeof value === "number" ? `${((value - startedAt) / 1000).toFixed(2)} s` : value;
}

function logLines(home: string, names: readonly string[]): string[] {
  const files = ["hermes.log.1", "hermes.log"].map((name) => {
    try {
      return readFileSync(join(home, "logs", name), "utf8");
    } catch {
      return "";
    }
  });
  const lines = files.join("").split("\n");
  return lines.filter((text) => names.some((name) => text.includes(name))).slice(0, MOST_LOG_LINES);
}
