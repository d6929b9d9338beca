import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import Database from "better-sqlite3";
import { afterEach, expect, it, vi } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { randomIds } from "../../base/ids.ts";
import type { Holder } from "../../base/process-identity.ts";
import { Connection } from "./connection.ts";
import { openSqliteStore } from "./index.ts";

const cleanUps: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

const CONVERSATION = { platform: "web", chatId: "1", kind: "dm" } as const;
const KEY = buildSessionKey(CONVERSATION);
const HOLDER: Holder = { id: "h", host: "here", pid: 1, pidStart: "1", role: "gateway" };

type Asked = Parameters<Connection["all"]>;

/** Reads what is read for a message and its turn; returns each statement with its values, and the file. */
async function readForMessage() {
  const folder = mkdtempSync(join(tmpdir(), "hermes-planned-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "store", "hermes.db");
  const store = await openSqliteStore({
    ...{ file, clock: createVirtualClock(), ids: randomIds, probe: { fate: () => "alive" } },
  });
  const { id: sessionId } = await store.sessions.create({ user: "usr_1" as never, origin: KEY, originChat: KEY });
  await store.bindings.bind({ key: KEY, conversation: CONVERSATION, sessionId, mirrors: false });

  const read: Asked[] = [];
  for (const name of ["get", "all"] as const) {
    const real = Connection.prototype[name];
    vi.spyOn(Connection.prototype, name).mockImplementation(function (this: Connection, ...asked: Asked) {
      read.push(asked);
      return real.apply(this, asked) as never;
    });
  }
  const message = { conversation: CONVERSATION, messageId: "1", sender: { id: "7" }, text: "Hi", sentAt: 1 };
  const accepted = await store.inbox.acceptInbound(KEY, message);
  if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
  await store.people.standing({ platform: "web", account: undefined }, "7");
  await store.approvals.shownAt(KEY);
  await store.inbox.head(KEY);
  await store.bindings.get(KEY);
  await store.asks.offerable({ person: "usr_1" as never, visible: { kind: "all" }, surface: KEY });
  const started = await store.turns.startTurn({
    ...{ sessionId, holder: HOLDER, surface: KEY, leaseMs: 15_000, message: { role: "user", text: "Hi" } },
    cause: { kind: "inbox", inboxId: accepted.row.id },
  });
  if (!started.ok) throw new Error(started.reason);
  await store.sessions.get(sessionId);
  await store.compactions.latest(sessionId);
  await store.transcripts.read(sessionId, { after: 0 });
  await store.approvals.ofTurn(started.turn.id);
  await store.usage.lastOf(sessionId);
  await store.handoffs.listPendingHandoffs({ platform: "web", account: undefined });
  await store.turns.resumable({ platform: "web", account: undefined });
  const { turn, fence } = started;
  const messages = [{ role: "assistant", text: "Done." }] as const;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  await store.close();
  return { file, read };
}

/** The least that a run takes, in nanoseconds: whatever else goes on can only make it longer. */
function leastNs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 300; i++) {
    const from = process.hrtime.bigint();
    run();
    least = Math.min(least, Number(process.hrtime.bigint() - from));
  }
  return least;
}

/** With this before each parameter, SQLite looks at no value to choose a plan. */
function withoutLooking(sql: string): string {
  return sql.replaceAll(/'[^']*'|(?<!\+)(?:\?|\$\w+)/g, (found) => (found.startsWith("'") ? found : `+${found}`));
}

it("plans no statement anew that runs for every message", async () => {
  const { file, read } = await readForMessage();
  const database = new Database(file);
  cleanUps.push(() => void database.close());
  const statements = [...new Map(read.map(([sql, ...values]) => [sql, values]))];
  const anew = statements.filter(([sql, values]) => {
    const [written, unlooking] = [database.prepare(sql), database.prepare(withoutLooking(sql))];
    if (!written.readonly) return false;
    return leastNs(() => written.all(...values)) > 1.8 * leastNs(() => unlooking.all(...values));
  });
  expect(anew.map(([sql]) => sql)).toEqual([]);
}, 30_000);
