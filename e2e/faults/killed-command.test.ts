import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate } from "@hermes/testing";
import { expect, it } from "vitest";
import { machineWith, startModel } from "../support/model.ts";

const TURN = join(import.meta.dirname, "../fixtures/tool-turn.ts");

/** Whether a process runs; one that has ended and that nobody has asked about, yet, does not. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
  return /^[^Z]/.test(stdout.trim());
}

it.each([
  { background: false, name: "a command" },
  { background: true, name: "a command in the background" },
])("$name whose Hermes was killed is ended before the session goes on", async ({ background }) => {
  const model = await startModel();
  await using machine = machineWith(model);
  const at = (name: string) => join(machine.folder, name);
  const command = "echo $$ >pid; until [ -e go ]; do sleep 0.01; done; touch made";
  model.push({ say: "I will wait.", call: [{ name: "shell", input: { command, background } }] });
  // One that has started a command in the background goes on to speak.
  const speaks = gate();
  if (background) model.push({ say: "It runs.", hold: speaks });
  const first = machine.startScript(TURN, "Wait, and make it");
  await machine.until(() => existsSync(at("pid")) && readFileSync(at("pid"), "utf8").endsWith("\n"));
  if (background) await speaks.reached;
  first.kill("SIGKILL");
  await first.exited();
  const pid = Number(readFileSync(at("pid"), "utf8"));
  const store = await machine.store();
  const [left] = await store.turns.leftRunning();
  if (left === undefined) throw new Error("the command was not noted");
  expect(left.pid).toBe(pid);
  expect(isRunning(pid)).toBe(true);

  const next = machine.startScript(TURN, "Go on");
  await next.says(/The turn is done/);
  expect(isRunning(pid)).toBe(false);
  expect(await store.turns.leftRunning()).toEqual([]);
  writeFileSync(at("go"), "");
  expect(await next.exited()).toBe(0);
  expect(existsSync(at("made"))).toBe(false);
  await model.close();
});
