import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SentLog } from "./sent-log.ts";

let folder: string;
let clock: VirtualClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-sent-"));
  clock = createVirtualClock();
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, "journal.jsonl");
/** The log as a process finds it. */
const open = (most?: number) => new SentLog<string>({ folder, clock, ...(most === undefined ? {} : { most }) });

it("knows after a crash what was about to be sent, and what was there before", () => {
  const log = open();
  log.begin("one", "channel", "Hello.");
  log.made("one", "101");
  log.begin("two", "channel", "Hello.");

  const next = open();
  expect(next.get("one")).toMatchObject({ madeId: "101", after: null });
  expect(next.get("two")).toMatchObject({ madeId: null, after: "101" });
  expect(next.get("three")).toBeNull();
});

it("a message that was found is told from others by its words and by whose it is", () => {
  const log = open();
  const one = log.begin("one", "channel", "Hello.");
  log.made("one", "101");
  const two = log.begin("two", "channel", "Hello.");
  expect(log.isFor(two, "101", "Hello.")).toBe(false);
  expect(log.isFor(two, "102", "Good evening.")).toBe(false);
  expect(log.isFor(two, "102", "Hello.")).toBe(true);
  expect(log.isFor(one, "101", "Hello.")).toBe(true);
  expect(log.byId("101")?.key).toBe("one");
});

it("the log finds messages with the same words at one place, the oldest first", () => {
  const log = open();
  for (const key of ["one", "two"]) log.begin(key, "channel", "Hello.");
  log.begin("three", "elsewhere", "Hello.");
  log.begin("four", "channel", "Good evening.");
  log.drop("four");
  log.begin("five", "channel", "Good morning.");
  log.change("five", { content: "Hello." });
  for (const known of [log, open()]) {
    expect(known.alike("channel", "Good morning.")).toEqual([]);
    expect(known.alike("channel", "Hello.").map(({ key }) => key)).toEqual(["one", "two", "five"]);
    expect(known.alike("channel", "Good evening.")).toEqual([]);
  }
});

it("a message that a platform shows twice is known by both ids", () => {
  const log = open();
  log.begin("one", "channel", "Hello.");
  log.made("one", "101");
  log.change("one", { otherIds: ["102"] });
  for (const id of ["101", "102"]) expect(open().byId(id)?.key).toBe("one");
});

it("the log keeps what an adapter notes with a message over a crash, and changes it", () => {
  const log = open();
  log.begin("one", "channel", "Yes or no?", "like = yes");
  log.change("one", { note: "nothing" });
  log.change("one", { isSettled: true });
  expect(open().get("one")).toMatchObject({ note: "nothing", isSettled: true, madeId: null });
});

it("forgets what was refused", () => {
  const log = open();
  log.begin("one", "channel", "Hello.");
  log.drop("one");
  log.change("one", { isSettled: true });
  expect(open().get("one")).toBeNull();
});

it("reads on behind a line that a crash cut off", () => {
  open().begin("one", "channel", "Hello.");
  appendFileSync(file(), '{"key":"tw');
  expect(open().get("one")).not.toBeNull();
});

it("keeps the last ones, and of each place the newest id", () => {
  const log = open(2);
  const began = clock.now();
  for (const [key, place] of [
    ["one", "quiet"],
    ["two", "busy"],
    ["three", "busy"],
  ] as const) {
    log.begin(key, place, key);
    log.made(key, `id of ${key}`);
  }
  for (const known of [log, open(2)]) {
    expect(known.all().map(({ key }) => key)).toEqual(["two", "three"]);
    expect(known.byId("id of one")).toBeNull();
  }
  expect(open(2).begin("four", "quiet", "four").after).toBe("id of one");
  expect(readFileSync(file(), "utf8")).not.toContain('"key":"one"');
  expect(log.since).toBe(began);
});

it("the log says from when on it knows all that was sent", async () => {
  const log = open(2);
  const began = clock.now();
  await clock.advance(1_000);
  log.begin("one", "channel", "one");
  expect(log.since).toBe(began);
  await clock.advance(1_000);
  for (const key of ["two", "three"]) log.begin(key, "channel", key);
  expect([log.since, open(2).since]).toEqual([began + 2_000, began + 2_000]);
});

it("the log has mode 0600 and holds no message text", () => {
  open().begin("one", "channel", "a private word");
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(readFileSync(file(), "utf8")).not.toContain("private");
});

it("knows after a crash what was begun right before its file was written anew", () => {
  const log = open(10);
  for (let count = 0; count < 50; count++) {
    log.begin("refused", "channel", "Hello.");
    log.drop("refused");
    log.begin(`last ${count}`, "channel", "Hello.");
    expect(open(10).get(`last ${count}`)).toMatchObject({ madeId: null });
  }
});

it("reads the journal of an earlier version, with two lines for a message", () => {
  const intent = { key: "one", place: "channel", digest: "d", after: null, at: 1 };
  const lines = [intent, { key: "one", madeId: "101" }, { ...intent, key: "two" }, { key: "two", madeId: null }];
  writeFileSync(file(), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(open().get("one")).toMatchObject({ madeId: "101" });
  expect(open().get("two")).toBeNull();
});

it("a durable log waits for the disk at what is sent, not at what came of it", () => {
  const script = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    let flushes = 0;
    const { fsyncSync } = fs;
    fs.fsyncSync = (file) => { flushes++; fsyncSync(file); };
    syncBuiltinESMExports();
    const { SentLog } = await import(${JSON.stringify(new URL("./sent-log.ts", import.meta.url).href)});
    const log = new SentLog({ folder: process.argv[1], clock: { now: () => 0 }, isDurable: true });
    const acts = [
      () => log.begin("one", "channel", "Hello."),
      () => log.made("one", "101"),
      () => log.change("one", { isSettled: true }),
      // By its former words it would not be found again.
      () => log.change("one", { content: "Hello, Ada." }),
      () => log.drop("one"),
    ];
    console.log(JSON.stringify(acts.map((act) => { flushes = 0; act(); return flushes; })));`;
  const run = ["--input-type=module", "-e", script, folder];
  const flushes = JSON.parse(execFileSync(process.execPath, run, { encoding: "utf8" }));
  expect(flushes).toEqual([1, 0, 0, 1, 0]);
});
