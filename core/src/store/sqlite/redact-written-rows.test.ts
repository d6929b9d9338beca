import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, everyColumnOf } from "@hermes/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionKey } from "../../adapter/session-key.ts";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { type Holder, systemProcessProbe } from "../../base/process-identity.ts";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { EVERY_SESSION, OPERATOR, type SessionId, type UserId } from "../../model/session.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./index.ts";
import { VERSION_1, VERSION_2 } from "./schema.ts";

const SECRET = "plainly-a-password-42";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  file = join(folder, "hermes.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => {
  const parts = { clock: systemClock, ids: randomIds, probe: systemProcessProbe };
  return openSqliteStore({ ...parts, file, redaction: createRowRedaction([SECRET]) });
};

/** A file of version 2. */
function writeVersion2(titles: readonly string[]): void {
  const database = new Database(file);
  database.exec(VERSION_1 + VERSION_2);
  database.pragma("application_id = 0x4865726d");
  database.pragma("user_version = 2");
  const session = database.prepare(
    `INSERT INTO sessions (id, title, title_folded, user, origin, last_surface, created_at, updated_at)
     VALUES (?, ?, ?, 'pager:ada', 'terminal', 'terminal', ?, ?)`,
  );
  for (const [at, title] of titles.entries()) session.run(`ses_${at}`, title, title.toLowerCase(), at, at);
  database.prepare("INSERT INTO users VALUES ('pager:ada', ?)").run(`Ada ${SECRET}`);
  database.prepare("INSERT INTO homes VALUES ('pager', '', ?)").run(JSON.stringify({ chatId: "1", name: SECRET }));
  database
    .prepare(
      `INSERT INTO handoffs (id, session_id, from_surface, platform, state, requested_at, expires_at, ended_at, mark,
         error_code, error_text, warnings, flat_because, link)
       VALUES ('hof_1', 'ses_0', 'terminal', 'pager', 'failed', 1, 2, 3, 'mark_1', 'INTERNAL', ?, ?, ?, ?)`,
    )
    .run(`refused ${SECRET}`, JSON.stringify([`warned of ${SECRET}`]), `flat ${SECRET}`, `https://x/?t=${SECRET}`);
  database.close();
}

test("titles, names and handoff texts of an earlier Hermes are redacted", async () => {
  const cut = "my key sk-ant-api03…";
  writeVersion2([`key ${SECRET}`, "key sk-live-0123456789abcdef", "key [redacted] 2", cut, "a plain one", SECRET]);
  const store = await open();
  const titleOf = async (at: number) => (await store.sessions.get(`ses_${at}` as SessionId))?.title;
  // Titles that become equal get numbers, and a title that has the number already keeps it.
  expect(await Promise.all([0, 1, 2, 3, 4, 5].map(titleOf))).toEqual([
    "key [redacted]",
    "key [redacted] 3",
    "key [redacted] 2",
    "my key [redacted]…",
    "a plain one",
    "[redacted]",
  ]);
  expect(await store.sessions.find("KEY [REDACTED] 3", EVERY_SESSION)).toMatchObject([{ id: "ses_1" }]);
  expect(await store.users.name("pager:ada" as UserId)).toBe("Ada [redacted]");
  expect(await store.bindings.home("pager", undefined)).toEqual({ chatId: "1", name: "[redacted]" });
  expect(await store.handoffs.list({ limit: 1 })).toMatchObject([
    { error: { text: "refused [redacted]" }, warnings: ["warned of [redacted]"], flatBecause: "flat [redacted]" },
  ]);
  await store.close();
  expect(everyColumnOf(file).values.filter(({ value }) => value.includes(SECRET))).toEqual([]);
});

const PAGER_KEY = "pager:dm:100" as SessionKey;
const ROOM = { platform: "pager", chatId: "100", kind: "dm" } as const;

/** What a session says of its work and where it goes, and the place, with the secret in each. */
async function writeLaterNames({ turns, away, places }: Store, sessionId: SessionId): Promise<void> {
  const holder: Holder = { id: "one", host: "here", pid: 1, pidStart: "1", role: "gateway" };
  const surface = "terminal";
  const begun = await turns.startTurn({
    ...{ sessionId, holder, surface, cause: { kind: "terminal" }, leaseMs: 1_000 },
    message: { role: "user", text: "go on" },
  });
  if (!begun.ok) throw new Error("the turn was not granted");
  const work = {
    ...{
      task: `use ${SECRET}`,
      progress: null,
      nextStep: null,
      decisions: [],
      openQuestions: [],
      files: [`${SECRET}.txt`],
    },
    ...{ model: "acme/one", at: 1 },
  };
  const { turn, fence } = begun;
  await turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [], work });
  const name = `room ${SECRET}`;
  const at = { platform: "pager", account: undefined, key: PAGER_KEY, conversation: ROOM } as const;
  const to = { kind: "conversation", ...at, name } as const;
  await away.set(sessionId, { to, restMs: 1_000, by: OPERATOR });
  await places.note({ key: PAGER_KEY, conversation: ROOM, name, word: "heard", person: null });
}

test("the next process that prunes redacts a secret that became known late", async () => {
  const parts = { clock: systemClock, ids: randomIds, probe: systemProcessProbe };
  const before = await openSqliteStore({ ...parts, file });
  const origin = { user: OPERATOR, origin: "terminal", originChat: null } as const;
  const { id } = await before.sessions.create({ ...origin, title: `about ${SECRET}` });
  const people = [
    await before.people.add({ name: `Ada ${SECRET}`, role: "member" }),
    await before.people.add({ name: "Ada [redacted]", role: "member" }),
  ];
  const identity = { platform: "pager", account: undefined, key: "ada" };
  await before.people.link(identity, people[0]?.id ?? OPERATOR, "code", `Ada ${SECRET}`);
  await writeLaterNames(before, id);
  await before.close();
  const store = await open();
  await store.prune();
  expect((await store.people.list()).map(({ name }) => name)).toEqual([
    "operator",
    "Ada [redacted]",
    "Ada [redacted] 2",
  ]);
  expect((await store.people.of(identity, "ada"))?.identities).toMatchObject([{ name: "Ada [redacted]" }]);
  expect(await store.sessions.get(id)).toMatchObject({ title: "about [redacted]" });
  expect(await store.sessions.keptState(id)).toMatchObject({ task: "use [redacted]", files: ["[redacted].txt"] });
  expect(await store.away.get(id)).toMatchObject({ to: { key: PAGER_KEY, name: "room [redacted]" } });
  expect(await store.places.get(PAGER_KEY)).toMatchObject({ name: "room [redacted]" });
  await store.close();
  const kept = everyColumnOf(file).values.filter(({ value }) => value.includes(SECRET));
  // What was said is redacted where it is shown.
  expect(kept.filter(({ column }) => !/^(messages|search|words|outbox)/.test(column))).toEqual([]);
});

test("titles of two people that are redacted late get no number because of each other", async () => {
  const parts = { clock: systemClock, ids: randomIds, probe: systemProcessProbe };
  const before = await openSqliteStore({ ...parts, file });
  const origin = { origin: "terminal", originChat: null, title: `about ${SECRET}` } as const;
  const made = [];
  for (const user of [OPERATOR, OPERATOR, "pager:ada" as UserId]) {
    made.push(await before.sessions.create({ ...origin, user }));
  }
  await before.close();
  const store = await open();
  await store.prune();
  const titles = await Promise.all(made.map(async ({ id }) => (await store.sessions.get(id))?.title));
  expect(titles).toEqual(["about [redacted]", "about [redacted] 2", "about [redacted]"]);
  await store.close();
});

test("a secret that became known late is redacted although the store was busy at first", async () => {
  const parts = { ids: randomIds, probe: systemProcessProbe };
  const before = await openSqliteStore({ ...parts, clock: systemClock, file });
  const { id } = await before.sessions.create({
    ...{ user: OPERATOR, origin: "terminal", originChat: null, title: `about ${SECRET}` },
  });
  await before.close();
  const clock = createVirtualClock();
  const store = await openSqliteStore({ ...parts, clock, file, redaction: createRowRedaction([SECRET]) });
  const other = new Database(file);
  other.exec("BEGIN IMMEDIATE");
  const refused = expect(store.prune()).rejects.toMatchObject({ code: "STORE_BUSY" });
  await clock.advance(6_000);
  await refused;
  other.exec("COMMIT");
  other.close();
  await store.prune();
  expect(await store.sessions.get(id)).toMatchObject({ title: "about [redacted]" });
  await store.close();
});

test("a file that was redacted once is not changed when it is opened again", async () => {
  writeVersion2(["a plain one"]);
  await (await open()).close();
  const before = everyColumnOf(file).values;
  await (await open()).close();
  expect(everyColumnOf(file).values).toEqual(before);
});
