import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemProcessProbe, thisProcess } from "./process-identity.ts";

const { fate } = systemProcessProbe;
const self = thisProcess("prc_1", "gateway");

test("a process reports itself as alive, and an earlier one with its pid as gone", () => {
  expect(fate(self)).toBe("alive");
  expect(fate({ ...self, id: "prc_0", pidStart: "1" })).toBe("gone");
});

test.runIf(process.platform === "linux")("another process is alive until it is killed", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(child, "spawn");
  const holder = { ...self, id: "prc_2", pid: child.pid ?? 0 };
  // With another start time, it is another process.
  expect(fate(holder)).toBe("gone");
  const pidStart = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19] ?? "";
  expect(fate({ ...holder, pidStart })).toBe("alive");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(fate({ ...holder, pidStart })).toBe("gone");
});

test("the fate of a process on another machine is unknown", () => {
  expect(fate({ ...self, host: "elsewhere/boot" })).toBe("unknown");
});

test("a process of an earlier boot of this machine is gone, whatever the clock says", () => {
  const [name, boot] = self.host.split("/");
  expect(fate({ ...self, host: `${name}/earlier` })).toBe(boot === "" ? "unknown" : "gone");
  expect(fate({ ...self, host: `${name}/` })).toBe(boot === "" ? "alive" : "unknown");
});
