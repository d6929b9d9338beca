import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { migrate, TABLES_VERSION } from "./migrations.ts";
import { statementsFor } from "./new-tables.ts";

const redaction = createRowRedaction([]);

/** All that a database holds: what it is made of, and each row but for when it was written. */
function contentsOf(database: Database.Database): unknown {
  const schema = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
  const tables = database.prepare<[], string>("SELECT name FROM pragma_table_list WHERE type <> 'view'").pluck().all();
  const rowsOf = (name: string) =>
    (database.prepare(`SELECT * FROM "${name}"`).all() as object[]).map((row) =>
      "created_at" in row ? { ...row, created_at: null } : row,
    );
  const rows = tables.filter((name) => !name.startsWith("sqlite_")).map((name) => [name, rowsOf(name)] as const);
  const versions = ["user_version", "application_id"].map((name) => database.pragma(name, { simple: true }));
  return { schema, versions, rows: Object.fromEntries(rows.toSorted()) };
}

test("a second new file of a process has the tables and rows that its migrations leave", () => {
  const [whole, first, second] = [1, 2, 3].map(() => new Database(":memory:"));
  if (whole === undefined || first === undefined || second === undefined) throw new Error("there is no database");
  // In two steps, which is never shortened.
  migrate(whole, "whole", redaction, undefined, TABLES_VERSION - 1);
  migrate(whole, "whole", redaction);
  for (const database of [first, second]) {
    migrate(database, "new", redaction);
    expect(contentsOf(database)).toEqual(contentsOf(whole));
  }
  const age = second.prepare("SELECT unixepoch() * 1000 - created_at FROM people").pluck().get();
  expect(age).toBeLessThan(60_000);
});

test("statements keep quotes, NULL and triggers, and a row is as old as its file", () => {
  const from = new Database(":memory:");
  from.exec(`
    CREATE TABLE a ("the id" INTEGER PRIMARY KEY, text TEXT, created_at INTEGER);
    INSERT INTO a VALUES (1, 'it''s', 5), (2, NULL, 5);
    CREATE TRIGGER b AFTER INSERT ON a BEGIN DELETE FROM a WHERE text = new.text AND "the id" < new."the id"; END;
  `);
  const to = new Database(":memory:");
  to.exec(statementsFor(from));
  expect(contentsOf(to)).toEqual(contentsOf(from));
  expect(to.prepare("SELECT min(created_at) FROM a").pluck().get()).toBeGreaterThan(1_700_000_000_000);
});
