import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../../base/process-identity.ts";
import { EVERY_SESSION, OPERATOR, type SessionId, type UserId } from "../../model/session.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./index.ts";

const GUEST = "chat:guest" as UserId;

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-search-"));
  store = await open();
});

function open(): Promise<Store> {
  const file = join(folder, "hermes.db");
  return openSqliteStore({ file, clock: systemClock, ids: randomIds, probe: systemProcessProbe });
}

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

test.each([
  ["a few", 10],
  ["thousands of", 3_000],
])("a guest with %s messages finds only their own, newest first", async (_, count) => {
  await say(OPERATOR, ["our secret plan"]);
  await say(GUEST, ["my first plan", ...Array.from({ length: count }, (_, i) => `remark ${i}`)]);
  await say(OPERATOR, ["another secret plan"]);
  await say(GUEST, ["my second plan", "my third plan"]);
  await say(OPERATOR, ["the last secret plan"]);

  const search = async (limit: number) => {
    const hits = await store.transcripts.search({ text: "plan", visible: { kind: "begun-by", user: GUEST }, limit });
    return hits.map(({ snippet }) => snippet);
  };
  expect(await search(20)).toEqual(["my third [plan]", "my second [plan]", "my first [plan]"]);
  expect(await search(2)).toEqual(["my third [plan]", "my second [plan]"]);
});

test("a new message is found before and after the index caught up", async () => {
  await say(OPERATOR, ["an early plan"]);
  const early = await search("plan");
  await say(OPERATOR, ["a late plan"]);
  expect(early).toEqual(["an early [plan]"]);
  expect(await search("plan")).toEqual(["a late [plan]", "an early [plan]"]);
});

test("a session deleted before the index caught up leaves nothing behind", async () => {
  await say(OPERATOR, ["a plan that stays"]);
  await search("plan");
  const lost = await say(OPERATOR, ["a plan that goes", "one more plan"]);
  await store.sessions.delete(lost);
  expect(await search("plan")).toEqual(["a [plan] that stays"]);
});

test("a message that reuses the number of a deleted one is found", async () => {
  const lost = await say(OPERATOR, ["a plan that goes", "one more plan"]);
  expect(await search("plan")).toHaveLength(2);
  await store.sessions.delete(lost);
  await say(OPERATOR, ["a new plan", "and a newer plan", "the newest plan"]);
  expect(await search("plan")).toEqual(["the newest [plan]", "and a newer [plan]", "a new [plan]"]);
});

test("another process finds a message that was written just before this one ended", async () => {
  await say(OPERATOR, ["the last plan"]);
  await store.close();
  store = await open();
  expect(await search("plan")).toEqual(["the last [plan]"]);
});

test("an older store is indexed in the background, and searched completely", async () => {
  const texts = Array.from({ length: 700 }, (_, i) => `remark ${i} on refactoring 会議`);
  const id = await say(OPERATOR, texts);
  await store.close();
  const file = join(folder, "hermes.db");
  const database = new Database(file);
  // As after the migration: the index is empty.
  database.exec("INSERT INTO message_index (message_index) VALUES ('delete-all'); UPDATE indexed SET up_to = 0;");
  database.close();

  store = await open();
  const progress: { readonly done: number; readonly of: number }[] = [];
  const query = {
    visible: EVERY_SESSION,
    limit: 1_000,
    onIndexing: (step: (typeof progress)[0]) => progress.push(step),
  };
  expect(await store.transcripts.search({ ...query, text: "refact" })).toHaveLength(700);
  expect(progress.length).toBeGreaterThan(1);
  for (const { done, of } of progress) expect([of, done < of || done === 700]).toEqual([700, true]);
  expect(await store.transcripts.search({ ...query, text: "会議" })).toHaveLength(700);
  await store.sessions.delete(id);
  expect(await search("refact")).toEqual([]);
});

async function search(text: string): Promise<string[]> {
  const hits = await store.transcripts.search({ text, visible: EVERY_SESSION, limit: 20 });
  return hits.map(({ snippet }) => snippet);
}

/** Creates a session with one message for each text. */
async function say(user: UserId, [first = "", ...rest]: readonly string[]): Promise<SessionId> {
  const { id } = await store.sessions.create({ user, origin: "terminal", originChat: null });
  const started = await store.turns.startTurn({
    sessionId: id,
    holder: thisProcess("search", "terminal"),
    cause: { kind: "terminal" },
    surface: "terminal",
    leaseMs: 60_000,
    message: { role: "user", text: first },
  });
  if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
  await store.turns.finishTurn({
    turnId: started.turn.id,
    fence: started.fence,
    state: "done",
    messages: rest.map((text) => ({ role: "user", text })),
    outbox: [],
  });
  return id;
}
