import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate } from "@hermes/testing";
import { expect, it } from "vitest";
import { machineWith, startModel } from "../support/model.ts";

const SCRIPT = "#!/bin/bash\necho $$ >pid; until [ -e go ]; do sleep 0.01; done; touch made\n";

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
  await using machine = machineWith(model, { permissions: { allow: ["shell(./wait.sh)"] } });
  const at = (name: string) => join(machine.folder, name);
  writeFileSync(at("wait.sh"), SCRIPT, { mode: 0o755 });
  const command = "./wait.sh";
  model.push({ say: "I will wait.", call: [{ name: "shell", input: { command, background } }] });
  // One that has started a command in the background goes on to speak.
  const speaks = gate();
  if (background) model.push({ say: "It runs.", hold: speaks });
  const first = machine.start("chat", "-q", "Wait, and make it");
  await machine.until(() => existsSync(at("pid")) && readFileSync(at("pid"), "utf8").endsWith("\n"));
  if (background) await speaks.reached;
  first.kill("SIGKILL");
  await first.exited();
  const pid = Number(readFileSync(at("pid"), "utf8"));
  const store = await machine.store();
  expect(await store.turns.leftRunning()).toHaveLength(1);
  expect(isRunning(pid)).toBe(true);

  const next = await machine.run("chat", "--continue", "-q", "Go on");
  expect(next).toMatchObject({ code: 0, stdout: "Answer to: Go on\n" });
  expect(isRunning(pid)).toBe(false);
  expect(await store.turns.leftRunning()).toEqual([]);
  writeFileSync(at("go"), "");
  expect(existsSync(at("made"))).toBe(false);
  await model.close();
});
