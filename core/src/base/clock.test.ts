import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { sleep, systemClock } from "./clock.ts";

const clockModule = fileURLToPath(new URL("clock.ts", import.meta.url));

const IMPORT = `const { sleep, systemClock } = await import(${JSON.stringify(clockModule)});`;

/** Runs `code` with the system clock in a process that does nothing else, and returns its output. */
function runAlone(code: string): string {
  return spawnSync(process.execPath, ["--input-type=module", "--eval", `${IMPORT} ${code}`], { encoding: "utf8" })
    .stdout;
}

it("all processes of a machine read the same steady clock", () => {
  const before = systemClock.steady();
  const other = JSON.parse(runAlone("console.log(JSON.stringify(systemClock.steady()));"));
  const after = systemClock.steady();
  expect(other.boot).toBe(before.boot);
  expect(other.ms).toBeGreaterThanOrEqual(before.ms);
  expect(other.ms).toBeLessThanOrEqual(after.ms);
});

it("a container whose clock has an offset reports another boot than its machine", (context) => {
  const shifted = ["-T", "--monotonic", "1000", "readlink", "/proc/self/ns/time"];
  if (spawnSync("unshare", shifted).status !== 0) return context.skip();
  const code = `${IMPORT} console.log(systemClock.steady().boot);`;
  const run = ["-T", "--monotonic", "1000", "--fork", process.execPath, "--input-type=module", "--eval", code];
  const { stdout } = spawnSync("unshare", run, { encoding: "utf8" });
  expect(stdout).toContain(systemClock.steady().boot);
  expect(stdout.trim()).not.toBe(systemClock.steady().boot);
});

it("a process does not exit while it sleeps", () => {
  expect(runAlone('await sleep(systemClock, 50); console.log("awake");')).toBe("awake\n");
});

it("a background timer does not keep a process alive", () => {
  expect(runAlone('systemClock.setTimer(600_000, () => {}); console.log("done");')).toBe("done\n");
});

it("a sleep ends when its signal aborts, and at once if it has aborted before", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const sleeping = sleep(clock, 1_000, stop.signal);
  stop.abort();
  await sleeping;
  await sleep(clock, 1_000, stop.signal);
});
