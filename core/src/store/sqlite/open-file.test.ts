import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import { openSqliteStore } from "./index.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-store-"));
  file = join(folder, "store", "hermes.db");
});

afterEach(() => rm(folder, { recursive: true }));

const open = () => openSqliteStore({ file, clock: systemClock, ids: randomIds, probe: systemProcessProbe });

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

test("only the owner may read the store, its side files and folder, whatever the umask", async () => {
  const umask = process.umask(0);
  try {
    const store = await open();
    await store.users.countRefused("pager", undefined);
    expect(await modeOf(join(folder, "store"))).toBe("700");
    for (const end of ["", "-wal", "-shm", "-written"]) expect(await modeOf(`${file}${end}`)).toBe("600");
    await store.close();
  } finally {
    process.umask(umask);
  }
});

test("opening a store that others can read closes it to them", async () => {
  await (await open()).close();
  await chmod(file, 0o644);
  await (await open()).close();
  expect(await modeOf(file)).toBe("600");
});

test("a store of a newer Hermes is not changed, and the error says what to do", async () => {
  await (await open()).close();
  const database = new Database(file);
  database.pragma("user_version = 999");
  database.close();
  const before = await readFile(file);
  await expect(open()).rejects.toMatchObject({
    code: "STORE_TOO_NEW",
    fields: { file, found: 999 },
    hint: "Upgrade Hermes.",
  });
  expect(await readFile(file)).toEqual(before);
});

test("a file that is not a database is not changed, and the error names it", async () => {
  await mkdir(join(folder, "store"));
  const garbage = "not a database at all, but long enough to be one. ".repeat(100);
  await writeFile(file, garbage);
  await expect(open()).rejects.toMatchObject({ code: "STORE_UNREADABLE", fields: { file } });
  expect(await readFile(file, "utf8")).toBe(garbage);
});

test("the database of another program is not changed", async () => {
  await mkdir(join(folder, "store"));
  const database = new Database(file);
  database.exec("CREATE TABLE theirs (a)");
  database.close();
  const before = await readFile(file);
  await expect(open()).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
  expect(await readFile(file)).toEqual(before);
});

test("the error names a path where no file can be created", async () => {
  await writeFile(join(folder, "store"), "a file where a folder should be");
  await expect(open()).rejects.toMatchObject({ code: "STORE_UNREADABLE", fields: { file } });
});
