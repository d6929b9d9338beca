import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { expect, test } from "vitest";
import { createTestBench } from "../test-bench.ts";

test("/export writes a new file with what was sent beside it, never over another", async () => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const { store, files: kept, holder } = bench.host;
  const session = await bench.begin("Trip: Rome");
  const cat = await kept.keep(Buffer.from("a cat"), { name: "cat.png", mediaType: "image/png" });
  const gone = { ...cat, name: "gone.png", hash: "0".repeat(64) };
  const begun = await store.turns.startTurn({
    ...{ sessionId: session.id, holder, leaseMs: 15_000, surface: "terminal", cause: { kind: "terminal" } },
    message: { role: "user", text: "Which cat?", files: [cat, gone] },
  });
  if (!begun.ok) throw new Error("the turn was not granted");
  await store.turns.finishTurn({
    ...{ turnId: begun.turn.id, fence: begun.fence, state: "done", messages: [], outbox: [] },
  });
  const at = (...names: string[]) => join(bench.folder, ...names);
  writeFileSync(at("Trip-Rome.md"), "mine");
  mkdirSync(at("Trip-Rome-2-files"));

  const chat = bench.start(["resume", "Trip: Rome"], { interactive: true });
  chat.type("/export");
  await chat.printed("`gone.png`.");
  expect(chat.stdout()).toContain("Trip-Rome-3.md` (1 message) and 1 file beside it. Not there any more:");
  chat.type("/export");
  await chat.printed("Trip-Rome-4.md");
  chat.end();
  expect(await chat.ended).toBe(0);

  expect(readFileSync(at("Trip-Rome.md"), "utf8")).toBe("mine");
  expect(readdirSync(at("Trip-Rome-2-files"))).toEqual([]);
  const text = readFileSync(at("Trip-Rome-3.md"), "utf8");
  expect(text).toMatch(/^# Trip: Rome\n[\s\S]*Which cat\?\n\nFile: \[cat\.png\]\(<Trip-Rome-3-files\/cat\.png>\)/);
  expect(readFileSync(at("Trip-Rome-3-files", "cat.png"), "utf8")).toBe("a cat");
  expect(statSync(at("Trip-Rome-3.md")).mode & 0o777).toBe(0o600);
});

test("/export writes the file that is named, and never over one that is there", async () => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const session = await bench.begin("Trip");
  await bench.exchange(session.id, "Which cat?", "The grey one.");
  const at = (...names: string[]) => join(bench.folder, ...names);
  writeFileSync(at("mine.md"), "mine");

  const chat = bench.start(["resume", "Trip"], { interactive: true });
  chat.type("/export out/x.md");
  await chat.printed("out/x.md` (");
  chat.type('/export "new folder/"');
  await chat.printed("new folder/Trip.md` (");
  chat.type('/export "out/"');
  await chat.printed("out/Trip.md` (");
  chat.type("/export out/x.md");
  await chat.printed("out/x.md exists already and was left unchanged.");
  chat.type("/export mine.md/x.md");
  await chat.printed("mine.md/x.md cannot be used: ");
  chat.end();
  expect(await chat.ended).toBe(0);

  expect(readdirSync(bench.folder).filter((name) => name.endsWith(".md"))).toEqual(["mine.md"]);
  expect(readdirSync(at("out"))).toEqual(["Trip.md", "x.md"]);
  expect(readFileSync(at("out", "x.md"), "utf8")).toContain("The grey one.");
  expect(readFileSync(at("mine.md"), "utf8")).toBe("mine");
});
