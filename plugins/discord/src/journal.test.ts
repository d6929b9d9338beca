import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Journal } from "./journal.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-journal-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("knows after a crash what was about to be made, and what was there before", () => {
  const clock = createVirtualClock();
  const journal = new Journal(folder, clock);
  journal.begin("one", "channel", "Hello.");
  journal.settle("one", "100000000000000001");
  journal.begin("two", "channel", "Hello.");

  const next = new Journal(folder, clock);
  expect(next.get("one")).toMatchObject({ madeId: "100000000000000001", after: null });
  expect(next.get("two")).toMatchObject({ madeId: null, after: "100000000000000001" });
  expect(next.isAnothers("two", "100000000000000001")).toBe(true);
  expect(next.get("three")).toBeNull();
});

it("forgets what was refused", () => {
  const clock = createVirtualClock();
  const journal = new Journal(folder, clock);
  journal.begin("one", "channel", "Hello.");
  journal.drop("one");
  expect(new Journal(folder, clock).get("one")).toBeNull();
});

it("reads on behind a line that a crash cut off", () => {
  const clock = createVirtualClock();
  new Journal(folder, clock).begin("one", "channel", "Hello.");
  appendFileSync(join(folder, "journal.jsonl"), '{"key":"tw');
  expect(new Journal(folder, clock).get("one")).not.toBeNull();
});

it("keeps a week, and of each channel the latest", async () => {
  const clock = createVirtualClock();
  const journal = new Journal(folder, clock);
  for (const [key, id] of [
    ["one", "100000000000000001"],
    ["two", "100000000000000002"],
  ] as const) {
    journal.begin(key, "channel", key);
    journal.settle(key, id);
  }
  await clock.advance(8 * DAY_MS);
  const next = new Journal(folder, clock);
  expect(next.get("one")).toBeNull();
  expect(next.begin("three", "channel", "three").after).toBe("100000000000000002");
  expect(readFileSync(join(folder, "journal.jsonl"), "utf8")).not.toContain('"one"');
});

it("the journal has mode 0600 and holds no message text", () => {
  new Journal(folder, createVirtualClock()).begin("one", "channel", "a private word");
  const file = join(folder, "journal.jsonl");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toContain("private");
});

it("knows after a crash what was begun right before its file was written anew", { timeout: 60_000 }, () => {
  const clock = createVirtualClock();
  const journal = new Journal(folder, clock);
  // Of refused ones nothing is kept, so that the file is written anew behind the last line.
  for (let count = 0; count < 10_000; count++) {
    journal.begin("refused", "channel", "Hello.");
    journal.drop("refused");
  }
  journal.begin("last", "channel", "Hello.");
  expect(new Journal(folder, clock).get("last")).toMatchObject({ madeId: null });
});
