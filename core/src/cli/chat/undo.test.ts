import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { expect, test } from "vitest";
import { workspaceTools } from "../../tools/index.ts";
import { createTestBench } from "../test-bench.ts";

test("/undo lists what the exchange wrote, and puts it back when the person says so", async () => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const session = await bench.begin("plan");
  await bench.exchange(session.id, "write it", "written");
  const turnId = (await bench.host.store.transcripts.read(session.id))[0]?.turnId ?? undefined;
  const directory = realpathSync(bench.folder);
  const at = (name: string) => join(directory, name);
  const edit = workspaceTools({ home: bench.home }).find(({ name }) => name === "edit");
  for (const [number, name] of ["a.txt", "b.txt"].entries()) {
    writeFileSync(at(name), "old");
    const where = { session, directory, turnId, callId: `1.${number}`, signal: new AbortController().signal };
    await edit?.run({ path: name, old: "old", new: "new", all: false }, where);
  }
  writeFileSync(at("b.txt"), "by somebody else");

  const chat = bench.start(["resume", "plan"], { interactive: true });
  chat.type("/undo");
  await chat.printed(at("a.txt"));
  await chat.printed("Put that back as it was before? (y/n)");
  chat.type("y");
  await chat.printed("Put back: ");
  await chat.printed("Changed by somebody else since, and left as it is: ");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(["a.txt", "b.txt"].map((name) => readFileSync(at(name), "utf8"))).toEqual(["old", "by somebody else"]);
});
