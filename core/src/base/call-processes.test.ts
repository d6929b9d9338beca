import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { CALL_VARIABLE, endLeftProcess } from "./call-processes.ts";
import { systemClock } from "./clock.ts";
import { type ProcessIdentity, processOf } from "./process-identity.ts";

/** Of this process alone: whoever looks for the processes of a call finds those of all tests that run now. */
const CALL = `call_${process.pid}`;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A command in a group of its own, as a Hermes that has died would have left it, and the pids that it prints. */
async function left(command: string): Promise<{
  readonly process: ProcessIdentity;
  readonly pids: number[];
  readonly ended: Promise<unknown>;
}> {
  const env = { ...process.env, [CALL_VARIABLE]: CALL };
  const child = spawn("bash", ["-c", command], { detached: true, env, stdio: ["ignore", "pipe", "ignore"] });
  started.push(child);
  // It may end as soon as it has printed its line.
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { process: processOf(CALL, child.pid ?? 0), pids: String(line).trim().split(" ").map(Number), ended };
}

function isRunning(pid: number): boolean {
  return processOf("any", pid).pidStart !== "zombie" && processOf("any", pid).pidStart !== "";
}

const end = (process: ProcessIdentity) => endLeftProcess(process, systemClock, 50);

test("Hermes ends what a call left running, with its whole process group", async () => {
  const { process, pids } = await left("trap '' TERM; sleep 60 & echo $$ $!; wait; sleep 60");
  expect(pids.map(isRunning)).toEqual([true, true]);
  expect(await end(process)).toBe(true);
  expect(pids.map(isRunning)).toEqual([false, false]);
});

test.runIf(process.platform === "linux")("a process whose group has lost its leader is found", async () => {
  const { process, pids, ended } = await left("sleep 60 & echo $!");
  await ended;
  expect(await end(process)).toBe(true);
  expect(pids.map(isRunning)).toEqual([false]);
});

test("a stranger that has got the pid is left alone", async () => {
  const { process, pids } = await left("echo $$; exec sleep 60");
  expect(await end({ ...process, id: `${CALL}_2`, pidStart: "1" })).toBe(true);
  expect(pids.map(isRunning)).toEqual([true]);
});

test("a process of another machine is left alone, and not taken for ended", async () => {
  const { process, pids } = await left("echo $$; exec sleep 60");
  expect(await end({ ...process, host: "elsewhere/boot" })).toBe(false);
  expect(pids.map(isRunning)).toEqual([true]);
});

test("a process of an earlier boot has ended, whoever has its pid now", async () => {
  const { process, pids } = await left("echo $$; exec sleep 60");
  expect(await end({ ...process, host: `${process.host.split("/")[0]}/earlier` })).toBe(true);
  expect(pids.map(isRunning)).toEqual([true]);
});
