import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { copyBeforeUpdate } from "./copy-before-update.ts";
import { migrate } from "./migrations.ts";
import { openFile } from "./open-file.ts";

/** A version after which tables are made. */
const OLDER = 19;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  file = join(folder, "store", "hermes.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const copies = () => (existsSync(join(folder, "backups")) ? readdirSync(join(folder, "backups")) : []);

async function open(): Promise<void> {
  const policy = { clock: systemClock, random: () => 0, timeoutMs: 100 };
  const options = { durability: "normal", redaction: createRowRedaction([]), copies: join(folder, "backups") } as const;
  (await openFile(file, options, policy)).close();
}

/** Puts the file of an earlier Hermes there, whose tables are still to be updated. Returns their version. */
function makeOlder(sql = ""): number {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
  const database = new Database(file);
  migrate(database, file, createRowRedaction([]), () => {}, OLDER);
  database.exec(sql);
  database.close();
  return OLDER;
}

test("an update of the tables copies the store first and keeps the last three copies", async () => {
  await open();
  expect(copies()).toEqual([]);
  for (let update = 0; update < 4; update++) {
    const version = makeOlder(`CREATE TABLE made_${update} (a)`);
    await open();
    const copy = new Database(join(folder, "backups", copies().toSorted().at(-1) ?? ""), { readonly: true });
    expect(copy.pragma("user_version", { simple: true })).toBe(version);
    expect(copy.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'made_%'").get()).toEqual({
      n: 1,
    });
    copy.close();
  }
  expect(copies()).toHaveLength(3);
  for (const copy of copies()) expect(statSync(join(folder, "backups", copy)).mode & 0o777).toBe(0o600);
  await open();
  expect(copies()).toHaveLength(3);
});

test("a copy has its name once it is whole; others that update at once use it", async () => {
  await open();
  const version = makeOlder();
  const database = new Database(file);
  const prepare = database.prepare.bind(database);
  const before: string[][] = [];
  vi.spyOn(database, "prepare").mockImplementation((sql: string) => {
    const statement = prepare(sql);
    const run = (path: string) => {
      before.push(copies().filter((name) => name.endsWith(".db")));
      const result = statement.run(path);
      before.push(copies().filter((name) => name.endsWith(".db")));
      return result;
    };
    return { ...statement, run } as unknown as Database.Statement;
  });
  const cutOff = "store-v1-1.db.7.part";
  mkdirSync(join(folder, "backups"));
  writeFileSync(join(folder, "backups", cutOff), "half");
  const now = Date.now() - 1_000;
  const copy = copyBeforeUpdate(database, join(folder, "backups"), version, now);
  expect(before).toEqual([[], []]);
  expect(copies()).toEqual([`store-v${version}-${now}.db`]);
  expect(copyBeforeUpdate(database, join(folder, "backups"), version, now - 1)).toBe(copy);
  // Another process has updated the tables meanwhile.
  expect(copyBeforeUpdate(database, join(folder, "backups"), version - 1, now - 2)).toBeNull();
  expect(copies()).toHaveLength(1);
  database.close();
});

test("an update that fails leaves the store as it was, and the error names the copy", async () => {
  await open();
  const version = makeOlder("CREATE TABLE calls (other)");
  const failed = await open().catch((error: unknown) => error);
  expect(failed).toMatchObject({
    code: "STORE_UPDATE_FAILED",
    fields: { file, copy: join(folder, "backups", copies()[0] ?? "") },
  });
  const database = new Database(file, { readonly: true });
  expect(database.pragma("user_version", { simple: true })).toBe(version);
  database.close();
});
