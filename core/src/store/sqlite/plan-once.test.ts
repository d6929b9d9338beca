import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { plannedOnce } from "./plan-once.ts";

it.each([
  ["SELECT * FROM a WHERE b = ? AND c IS ?", "SELECT * FROM a WHERE b = +? AND c IS +?"],
  ["UPDATE a SET b = $b, c = +$c WHERE d IN (?, +?)", "UPDATE a SET b = +$b, c = +$c WHERE d IN (+?, +?)"],
  ["SELECT a ->> '$.b', 'it''s ?', \"c?\" FROM d LIMIT ?", "SELECT a ->> '$.b', 'it''s ?', \"c?\" FROM d LIMIT +?"],
])("a statement is planned without its values: %s", (sql, planned) => {
  expect(plannedOnce(sql)).toBe(planned);
});

it("values keep their types, and those of the columns that they are held against", () => {
  using closed = opened();
  const { database } = closed;
  database.exec("CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT, number INTEGER)");
  const insert = database.prepare(plannedOnce("INSERT INTO a (id, text, number) VALUES (?, $text, ?)"));
  insert.run(1, 2, { text: "007" });
  const found = database.prepare(
    plannedOnce("SELECT id, text, typeof(?) AS type FROM a WHERE number = ? AND text = ?"),
  );
  expect(found.all("x", "2", "007")).toEqual([{ id: 1, text: "007", type: "text" }]);
  expect(found.all(null, 2, "7")).toEqual([]);
});

function opened(): Disposable & { readonly database: InstanceType<typeof Database> } {
  const database = new Database(":memory:");
  return { database, [Symbol.dispose]: () => void database.close() };
}
