import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, notingLogger, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Fate, LateReports } from "./late-reports.ts";
import { platformErrors } from "./platform-errors.ts";
import { SentLog } from "./sent-log.ts";

const refused = platformErrors("pager").notFound("nobody is there", "Check the number.");

let folder: string;
let clock: VirtualClock;
let log: SentLog;
let fates: Map<string, Fate>;
/** What Hermes was told: the message, and why it was refused. */
let told: [string, string | null][];
/** Messages that the platform was asked about. */
let looked: string[];
let running: LateReports[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-late-"));
  clock = createVirtualClock();
  log = new SentLog({ folder, clock });
  [fates, told, looked, running] = [new Map(), [], [], []];
});
afterEach(() => {
  for (const reports of running) reports.stop();
  rmSync(folder, { recursive: true });
});

function start(): LateReports {
  const read = async (id: string) => {
    looked.push(id);
    return fates.get(id) ?? "unknown";
  };
  const reports = new LateReports({
    ...{ clock, logger: notingLogger([]), look: { afterMs: [5_000, 60_000], read, log } },
    settle: async (id, refusal) => void told.push([id, refusal?.code ?? null]),
  });
  running.push(reports);
  return reports;
}

function send(id: string): void {
  log.begin(`key of ${id}`, "chat", "Hello.");
  log.made(`key of ${id}`, id);
}

it("a refusal about which the platform is silent is found at one of the times", async () => {
  send("m1");
  start().watch("m1");
  await clock.advance(5_000);
  expect(told).toEqual([]);
  fates.set("m1", refused);
  await clock.advance(120_000);
  expect(looked).toEqual(["m1", "m1"]);
  expect(told.map(([, code]) => code)).toEqual(["PLATFORM_NOT_FOUND", "PLATFORM_NOT_FOUND"]);
});

it("a message not refused the last time has arrived, and is not looked at again", async () => {
  send("m1");
  const reports = start();
  reports.watch("m1");
  await clock.advance(120_000);
  expect(told[0]).toEqual(["m1", null]);
  reports.look("m1");
  reports.watch("m1");
  await clock.advance(120_000);
  expect(looked).toEqual(["m1", "m1"]);
});

it("a refusal that is found in two ways is told once, and repeated once", async () => {
  send("m1");
  fates.set("m1", refused);
  const reports = start();
  reports.look("m1");
  await clock.advance(1_000);
  reports.look("m1");
  await clock.advance(10_000);
  expect(told).toHaveLength(2);
});

it("a report is repeated, since Hermes may not know the message when it comes", async () => {
  await start().say("m1", "arrived");
  expect(told).toEqual([["m1", null]]);
  await clock.advance(2_000);
  expect(told).toEqual([
    ["m1", null],
    ["m1", null],
  ]);
});

it("a message that arrived is not asked about again when the platform tells of it", async () => {
  send("m1");
  fates.set("m1", "arrived");
  const reports = start();
  for (let times = 0; times < 3; times++) {
    reports.look("m1");
    await clock.advance(10_000);
  }
  expect(looked).toEqual(["m1"]);
});

it("a later process looks at what an earlier one did not come to", async () => {
  send("m1");
  start().watch("m1");
  await clock.advance(5_000);
  running[0]?.stop();
  await clock.advance(3_600_000);
  fates.set("m1", refused);
  start().takeUp();
  await clock.advance(0);
  expect(told).toEqual([["m1", "PLATFORM_NOT_FOUND"]]);
});

it("nothing is looked at or told once it was stopped", async () => {
  send("m1");
  const reports = start();
  reports.watch("m1");
  const said = reports.say("m1", refused);
  const unsaid = expect(said).rejects.toThrow("it was stopped");
  reports.stop();
  await unsaid;
  reports.look("m1");
  await clock.advance(120_000);
  expect([looked, told.length]).toEqual([[], 1]);
});
