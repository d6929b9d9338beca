import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, gate, notingLogger } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { OrderedIntake } from "./ordered-intake.ts";
import { type Polled, pollingRound } from "./polling.ts";

let folder: string;
let asked: (string | null)[];
/** What the platform has: a poll after `m2` brings what stands behind it. */
let there: string[];
let kept: string[];
let keep: (id: string) => Promise<void>;
let stopping: AbortController;
let logged: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-polling-"));
  asked = [];
  logged = [];
  kept = [];
  there = ["m1", "m2"];
  stopping = new AbortController();
  keep = async (id) => void kept.push(id);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process that polls: a function that makes one round. */
function process(owner = "bot"): () => Promise<void> {
  const logger = notingLogger(logged);
  const intake = new OrderedIntake<never>({ receive: (message) => keep(message), clock: createVirtualClock(), logger });
  const poll = async (after: string | null): Promise<Polled> => {
    asked.push(after);
    if (after === null) return { entries: [], cursor: there.at(-1) ?? "" };
    const entries = there
      .slice(there.indexOf(after) + 1)
      .map((id) => ({ place: "chat", id, decode: async () => id as never }));
    return { entries, cursor: there.at(-1) ?? after };
  };
  const round = pollingRound({ owner, poll }, { folder, intake: intake as never, logger });
  const { signal } = stopping;
  return () => round({ signal, isFirst: false, failures: 0, connected() {}, received() {} });
}

it("the very first poll skips what is there, and a later process goes on from it", async () => {
  const first = process();
  await first();
  there.push("m3", "m4");
  await first();
  there.push("m5");
  await process()();
  expect(kept).toEqual(["m3", "m4", "m5"]);
  expect(asked).toEqual([null, "m2", "m4"]);
});

it("a cursor is written when all before it is kept, so a crash loses nothing", async () => {
  const first = process();
  await first();
  there.push("m3", "m4");
  const held = gate();
  keep = async (id) => {
    if (id === "m4") await held.pass();
    kept.push(id);
  };
  const round = first();
  await held.reached;
  // The process ends here: what it was about to keep comes again, in order.
  stopping.abort();
  await expect(round).rejects.toThrow();
  stopping = new AbortController();
  keep = async (id) => void kept.push(id);
  await process()();
  expect(asked).toEqual([null, "m2", "m2"]);
  expect(kept).toEqual(["m3", "m3", "m4"]);
});

it("another account's cursor is not used", async () => {
  await process()();
  await process("another")();
  expect(asked).toEqual([null, null]);
  expect(JSON.parse(readFileSync(join(folder, "poll-cursor.json"), "utf8"))).toEqual({
    owner: "another",
    cursor: "m2",
  });
});

it("the cursor before is used where the last one cannot be read, which is told", async () => {
  const first = process();
  await first();
  there.push("m3");
  await first();
  there.push("m4");
  await first();
  writeFileSync(join(folder, "poll-cursor.json"), "{");
  there.push("m5");
  await process()();
  expect(asked).toEqual([null, "m2", "m3", "m3"]);
  expect(kept).toEqual(["m3", "m4", "m4", "m5"]);
  expect(logged.join()).toContain("cannot be read");
  // A process that died right after it had put the damaged one aside changes nothing.
  rmSync(join(folder, "poll-cursor.json"));
  await process()();
  expect(asked.at(-1)).toBe("m3");
});
