import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { UserId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** What is offered for the last word, as a shell of `shell` gets it. */
async function offered(words: readonly string[], shell = "zsh"): Promise<string[]> {
  const { stdout } = await bench.hermes("complete", "--shell", shell, "--", ...words);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

test("completion offers every command that the help lists, and no other", async () => {
  const { stdout } = await bench.hermes("--help");
  const section = stdout.split("Commands:\n")[1]?.split("\n\n")[0] ?? "";
  const listed = [...section.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
  const commands = await offered([""]);
  expect(listed.length).toBeGreaterThan(15);
  expect(commands).toEqual(listed);
  for (const name of ["service", "logs", "backup", "restore", "completion"]) expect(commands).toContain(name);
  expect(commands).not.toContain("complete");
});

test.each([
  [["res"], ["restore", "resume"]],
  [["gateway", "re"], ["restart"]],
  [["gateway", "--de"], ["--detach"]],
  [
    ["logs", "--level", ""],
    ["debug", "info", "warn", "error"],
  ],
  [["sessions", "export", "--format", "m"], ["markdown"]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish"],
  ],
  [["status", "--js"], ["--json"]],
  [["status", ""], []],
  [["nonsense", ""], []],
])("completes %j", async (words, expected) => {
  expect((await offered(words)).toSorted()).toEqual(expected.toSorted());
});

test("completion offers sessions and platforms where the table names one", async () => {
  for (const title of ["Trip to Rome", "$(touch evil)", 'it\'s "quoted"']) await bench.begin(title);
  // One of somebody else; to name it, its id is needed.
  await bench.begin("Trip to Rome", "pager:ada" as UserId);
  const { id } = await bench.begin("hidden");
  bench.database().prepare("UPDATE sessions SET title = ? WHERE id = ?").run("hid\u202eden", id);
  mkdirSync(join(bench.home, "plugins", "pager@second"), { recursive: true });
  expect((await offered(["resume", ""])).toSorted()).toEqual(
    ["Trip to Rome", "$(touch evil)", 'it\'s "quoted"', id].toSorted(),
  );
  expect(await offered(["handoff", ""])).toEqual(["pager", "terminal"]);
  expect(await offered(["away", ""])).toEqual(["pager", "terminal"]);
  expect(await offered(["handoff", "pager", "--session", "Trip t"])).toEqual(["Trip to Rome"]);
  await bench.host.store.people.add({ name: "Ada L.", role: "member" });
  expect(await offered(["people", "remove", "A"])).toEqual(["Ada L."]);
  expect(await offered(["link", "--person", "A"])).toEqual(["Ada L."]);
  expect(await offered(["pass", "--for", "A"])).toEqual(["Ada L."]);
  // As typed in bash: with quotes and backslashes of its own.
  expect(await offered(["resume", "Trip\\ to"], "bash")).toEqual(["Trip to Rome"]);
  expect(await offered(["resume", '"Trip to'], "bash")).toEqual(["Trip to Rome"]);
  expect(await offered(["resume", '"$'], "bash")).toEqual([]);
});
