import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { sleep, systemClock } from "./clock.ts";

const clockModule = fileURLToPath(new URL("clock.ts", import.meta.url));

const IMPORT = `const { sleep, systemClock } = await import(${JSON.stringify(clockModule)});`;

/** What a process says that runs `code` with the machine's clock and has nothing else to do. */
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

it("containers whose clock was set off do not compare its moments with the machine's", (context) => {
  const shifted = ["-T", "--monotonic", "1000", "readlink", "/proc/self/ns/time"];
  if (spawnSync("unshare", shifted).status !== 0) return context.skip();
  const code = `${IMPORT} console.log(systemClock.steady().boot);`;
  const run = ["-T", "--monotonic", "1000", "--fork", process.execPath, "--input-type=module", "--eval", code];
  const { stdout } = spawnSync("unshare", run, { encoding: "utf8" });
  expect(stdout).toContain(systemClock.steady().boot);
  expect(stdout.trim()).not.toBe(systemClock.steady().boot);
});

it("a process stays for what it sleeps for", () => {
  expect(runAlone('await sleep(systemClock, 50); console.log("awake");')).toBe("awake\n");
});

it("a process does not stay for a timer in the background", () => {
  expect(runAlone('systemClock.setTimer(600_000, () => {}); console.log("done");')).toBe("done\n");
});

it("a sleep ends when its signal aborts, or has aborted", async () => {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const sleeping = sleep(clock, 1_000, stop.signal);
  stop.abort();
  await sleeping;
  await sleep(clock, 1_000, stop.signal);
});
