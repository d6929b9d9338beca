import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../../base/process-identity.ts";
import { OPERATOR } from "../../model/session.ts";
import { openSqliteStore } from "./index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-busy-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program under another name that locks the file, as a SQLite shell does in the middle of a transaction. */
async function stranger(file: string) {
  const program = join(folder, "some-shell");
  symlinkSync(process.execPath, program);
  const script = join(folder, "hold.cjs");
  const driver = JSON.stringify(createRequire(import.meta.url).resolve("better-sqlite3"));
  writeFileSync(
    script,
    `const db = require(${driver})(process.argv[2]);
     db.exec("BEGIN IMMEDIATE");
     console.log("held");
     setInterval(() => {}, 1_000);`,
  );
  const child = spawn(program, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

test.runIf(process.platform === "linux")("a busy store names the program that holds it, not the gateway", async () => {
  const file = join(folder, "hermes.db");
  const parts = { file, clock: systemClock, ids: randomIds, probe: systemProcessProbe, busyTimeoutMs: 200 };
  const store = await openSqliteStore(parts);
  // A live gateway that does not hold the lock.
  const [, stat = ""] = readFileSync(`/proc/${process.ppid}/stat`, "utf8").split(") ");
  const pidStart = stat.split(" ")[19] ?? "";
  const holder = { ...thisProcess("gateway-1", "gateway"), pid: process.ppid, pidStart };
  await store.gateways.heartbeat({ id: "gateway-1", holder, startedAt: 0, configPath: null, platforms: [] });
  const child = await stranger(file);
  try {
    const writing = store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
    await expect(writing).rejects.toThrow(
      `in use by some-shell with process id ${child.pid}, which is no part of Hermes`,
    );
  } finally {
    child.kill("SIGKILL");
    await store.close();
  }
});
