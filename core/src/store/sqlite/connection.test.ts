import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextStep } from "node:timers/promises";
import { createVirtualClock } from "@hermes/testing";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HermesError } from "../../base/errors.ts";
import { Connection } from "./connection.ts";

let folder: string;
let file: string;
let db: Connection;
/** As another process has it. */
let other: Database.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-connection-"));
  file = join(folder, "hermes.db");
  other = new Database(file);
  other.pragma("journal_mode = WAL");
  other.exec("CREATE TABLE rights (who TEXT); INSERT INTO rights VALUES ('ada')");
  db = new Connection(new Database(file), {
    clock: createVirtualClock(),
    random: () => 0,
    timeoutMs: 1_000,
    giveUp: () => new HermesError("STORE_BUSY", { file, seconds: 1, holder: "another process" }),
  });
});
afterEach(() => {
  db.close();
  other.close();
  rmSync(folder, { recursive: true });
});

const people = () => db.read(() => db.all<{ who: string }>("SELECT who FROM rights").map(({ who }) => who));

describe("reads of the store that follow each other in one step of the event loop", () => {
  test("reads see one state of the file, and those of the next step the newest", async () => {
    const first = await people();
    other.exec("DELETE FROM rights");
    expect([first, await people()]).toEqual([["ada"], ["ada"]]);
    await nextStep();
    expect(await people()).toEqual([]);
  });

  test("a read sees what this process has written before it", async () => {
    const before = await people();
    await db.write(() => db.run("INSERT INTO rights VALUES ('bea')"));
    expect([before, await people()]).toEqual([["ada"], ["ada", "bea"]]);
  });

  test("another process's write shows in the version that is asked for after a read", async () => {
    const version = db.dataVersion();
    await people();
    other.exec("DELETE FROM rights");
    expect(db.dataVersion()).not.toBe(version);
  });

  test("a read that fails keeps no state for the next one", async () => {
    const failed = db.read(() => {
      db.get("SELECT * FROM rights");
      throw new HermesError("STORE_CLOSED", {});
    });
    await expect(failed).rejects.toMatchObject({ code: "STORE_CLOSED" });
    other.exec("DELETE FROM rights");
    expect(await people()).toEqual([]);
  });

  test("the write-ahead log is truncated although a read has just ended", async () => {
    other.exec("INSERT INTO rights VALUES ('bea')");
    await people();
    db.emptyLog();
    expect(statSync(`${file}-wal`).size).toBe(0);
  });
});

describe("the edition of a table", () => {
  const edition = () => db.read(() => db.editionOf("rights"));

  test.each([
    ["another process adds a row", () => other.exec("INSERT INTO rights VALUES ('bea')")],
    ["this process removes a row", () => db.write(() => db.run("DELETE FROM rights"))],
    ["this process changes a row", () => db.write(() => db.run("UPDATE rights SET who = 'eve'"))],
    ["this process replaces a row", () => db.write(() => db.run("REPLACE INTO rights VALUES ('eve')"))],
  ])("the edition of a table is another one once %s", async (_, act) => {
    const before = await edition();
    await act();
    await nextStep();
    expect(await edition()).not.toBe(before);
  });

  test("rows that this process adds leave the edition of their table as it is", async () => {
    const before = await edition();
    await db.write(() => db.run("INSERT INTO rights VALUES ('bea')"));
    await nextStep();
    expect(await edition()).toBe(before);
  });
});
