import { describe, expect, test } from "vitest";
import { writtenRows } from "./written-rows.ts";

describe("what a statement writes", () => {
  test.each([
    ["INSERT INTO outbox (id) VALUES (?)", "outbox"],
    ["INSERT OR IGNORE INTO handoffs (id) VALUES (?)", "handoffs"],
    ["\n  UPDATE sessions SET fence = ?, last_surface = ?", "sessions"],
    ["UPDATE sessions SET away = NULL WHERE id = ?", "away"],
    ["UPDATE outbox_messages SET message = ?", "outbox_messages"],
    ["UPDATE OR IGNORE handoffs SET state = ?", "handoffs"],
  ])("%j names its table", (sql, table) => {
    expect(writtenRows(sql)).toBe(table);
  });

  test("a deletion may write anything, because what it takes along is other tables'", () => {
    expect(writtenRows("DELETE FROM sessions WHERE id = ?")).toBeNull();
    expect(writtenRows("WITH old AS (SELECT 1) UPDATE outbox SET state = 'failed'")).toBeNull();
  });
});
