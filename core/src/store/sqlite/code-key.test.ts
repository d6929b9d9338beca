import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { openStore } from "../../host/open-store.ts";
import { newCode } from "../../model/code.ts";
import { OPERATOR } from "../../model/session.ts";
import { keyIn } from "./code-key.ts";
import { migrate } from "./migrations.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-key-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const open = () => openStore(home, { clock: systemClock });
const link = (code: string) =>
  ({ code, kind: "link", issuer: OPERATOR, person: OPERATOR, sessionId: null, who: null, ttlMs: 60_000 }) as const;

test("the store's file holds nothing by which a code could be searched for", async () => {
  const store = await open();
  const code = newCode();
  await store.codes.create(link(code));
  await store.close();
  const database = new SqliteDatabase(join(home, "store", "hermes.db"));
  const { hash } = database.prepare("SELECT hash FROM codes").get() as { hash: string };
  database.close();
  for (const text of [code, `code ${code}`]) {
    for (const form of ["hex", "base64", "base64url"] as const) {
      expect(hash).not.toBe(createHash("sha256").update(text).digest(form));
    }
  }
  expect(hash).not.toContain(code);
  expect(readFileSync(join(home, "store", "hermes.db")).includes(keyIn(join(home, "codes.key")))).toBe(false);
});

test("the key is made once, is the owner's alone to read, and is used by every process", async () => {
  const [first, second] = await Promise.all([open(), open()]);
  const codes = [newCode(), newCode()] as const;
  await Promise.all([first.codes.create(link(codes[0])), second.codes.create(link(codes[1]))]);
  expect(await first.codes.find(codes[1])).not.toBeNull();
  expect(await second.codes.find(codes[0])).not.toBeNull();
  expect(statSync(join(home, "codes.key")).mode & 0o777).toBe(0o600);
  await first.close();
  await second.close();
});

test("a code is unknown where its key is gone, as in a restored home", async () => {
  const store = await open();
  const code = newCode();
  const { number } = await store.codes.create(link(code));
  await store.close();
  rmSync(join(home, "codes.key"));
  const again = await open();
  expect(await again.codes.find(code)).toBeNull();
  expect(await again.codes.get(number)).toMatchObject({ state: "open" });
  const next = newCode();
  await again.codes.create(link(next));
  expect(await again.codes.find(next)).not.toBeNull();
  await again.close();
});

test("a file that holds no key is told, and nothing is kept by it", async () => {
  writeFileSync(join(home, "codes.key"), "");
  const store = await open();
  await expect(store.codes.create(link(newCode()))).rejects.toMatchObject({ code: "STORE_KEY_UNREADABLE" });
  expect(await store.codes.list("link")).toEqual([]);
  await store.close();
});

test("codes that are open when Hermes is updated are over, and a pass in use stays", () => {
  const database = new SqliteDatabase(join(home, "hermes.db"));
  // The version before codes were kept by a key.
  migrate(database, "hermes.db", createRowRedaction([]), undefined, 41);
  database.exec(`
    INSERT INTO sessions (id, user, origin, last_surface, created_at, updated_at)
      VALUES ('ses_1', 'operator', 'terminal', 'terminal', 1, 1);
    INSERT INTO codes (number, hash, kind, state, session_id, created_at, expires_at) VALUES
      (1, 'a', 'link', 'open', NULL, 1, 2), (2, 'b', 'link', 'taken', NULL, 1, 2), (3, 'c', 'pass', 'open', 'ses_1', 1, 2),
      (4, 'd', 'pass', 'taken', 'ses_1', 1, 2), (5, 'e', 'pairing', 'done', NULL, 1, 2);
  `);
  migrate(database, "hermes.db", createRowRedaction([]));
  const rows = database.prepare("SELECT state, hash FROM codes ORDER BY number").all() as {
    state: string;
    hash: string;
  }[];
  database.close();
  expect(rows.map(({ state }) => state)).toEqual(["revoked", "revoked", "revoked", "taken", "done"]);
  expect(rows.map(({ hash }) => hash)).toEqual(["none 1", "none 2", "none 3", "none 4", "none 5"]);
});
