import { expect, it } from "vitest";
import { withRun } from "./record.ts";
import { describeRun } from "./render.ts";
import type { Result } from "./result.ts";
import { renderTable, rowsOf } from "./table.ts";

const result: Result = {
  seed: 7,
  minutes: 30,
  part: null,
  startedAt: Date.UTC(2026, 10, 28),
  rows: rowsOf([], [{ token: "s-tg-00001", fate: "answered" }]),
  harms: { kills: 3 },
  terminals: [{ token: "s-tg-00001", fate: "answered" }],
  handoffsRefused: {},
  leftOut: [],
  anomalies: [],
  passed: true,
};

const run = { startedAt: result.startedAt, about: describeRun(result), table: renderTable(result.rows) };

const PAGE = "Before.\n\n<!-- soak: begin -->\nan older table\n<!-- soak: end -->\n\nBehind.\n";

it("puts the table of a run between the marks of the page, and leaves the rest", () => {
  const page = withRun(PAGE, "soak", run);
  expect(page).toMatch(/^Before\.\n\n<!-- soak: begin -->\n2026-11-28\. Seed 7, 30 minutes: 3 kills;/);
  expect(page).toMatch(/\| terminal \| 1 \| 1 \| 0 \|/);
  expect(page).toMatch(/<!-- soak: end -->\n\nBehind\.\n$/);
  expect(page).not.toMatch(/an older table/);
  expect(withRun(page, "soak", run)).toBe(page);
});

it("refuses a page without the marks", () => {
  expect(() => withRun("Before.\n", "soak", run)).toThrow(/has no <!-- soak: begin -->/);
});
