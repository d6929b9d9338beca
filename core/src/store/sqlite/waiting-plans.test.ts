import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import Database from "better-sqlite3";
import { afterEach, expect, it } from "vitest";
import { randomIds } from "../../base/ids.ts";
import { UNREMINDED } from "./approvals.ts";
import { DUE } from "./expired-approvals.ts";
import { PENDING } from "./handoffs.ts";
import { openSqliteStore } from "./index.ts";
import { plannedOnce } from "./plan-once.ts";
import { SHOWN_AT } from "./questions.ts";
import { UNASKED } from "./resume-turn.ts";
import { TITLED } from "./sessions.ts";

const OF_ADA = plannedOnce(`SELECT * FROM sessions WHERE user = ? AND ${TITLED}`);

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

async function openTables(): Promise<InstanceType<typeof Database>> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-plans-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "store", "hermes.db");
  const parts = { clock: createVirtualClock(), ids: randomIds };
  await (await openSqliteStore({ file, ...parts, probe: { fate: () => "alive" } })).close();
  const database = new Database(file);
  cleanUps.push(() => void database.close());
  return database;
}

it.each([
  ["turns to go on with", UNASKED, "turns_unasked", []],
  ["questions that are due by wall time", DUE, "approvals_by_wall", [1, "boot", 1]],
  ["questions that are due by the steady clock", DUE, "approvals_by_steady", [1, "boot", 1]],
  ["questions to remind people of", UNREMINDED, "approvals_unreminded", [1]],
  ["questions that a place shows", SHOWN_AT, "outbox_asks", ["key"]],
  ["somebody's sessions of a title", OF_ADA, "sessions_titled", ["ada", "plan"]],
  ["handoffs to claim", `SELECT * FROM handoffs WHERE ${PENDING} ORDER BY number`, "handoffs_waiting", []],
])("a look for %s reads nothing that it is not about", async (_, sql, index, values) => {
  const database = await openTables();
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  const details = steps.map(({ detail }) => detail);
  expect(details.join("; ")).toContain(`INDEX ${index}`);
  // A whole table is read only as an index that holds nothing else, or as what was found already.
  expect(details.filter((one) => /^SCAN (?!asked)/.test(one) && !one.includes(index))).toEqual([]);
});
