import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { processOf } from "../../base/process-identity.ts";
import { createConcealer } from "../../base/redact.ts";
import type { Session, SessionId } from "../../model/session.ts";
import type { CallProcess } from "../../model/turn.ts";
import { TestWorkspace } from "../test-workspace.ts";
import { JobOutput } from "./job-output.ts";

const isRunning = (pid: number) => !["", "zombie"].includes(processOf("any", pid).pidStart);

/** Begins a command that prints `ready` and goes on; resolves when it is ready. */
async function begin(space: TestWorkspace, command = "echo ready; exec sleep 60", where = space.where()) {
  const result = await space.run("shell", { command, background: true }, where);
  const [, id = "", file = "", pid = ""] =
    /^Runs in the background as job (\d+)\. .* is in (.+), which .*-- -(\d+)/.exec(result) ?? [];
  await vi.waitFor(() => expect(readFileSync(file, "utf8")).toContain("ready"));
  return { id, file, pid: Number(pid) };
}

test("a background command goes on after its call, and the session reads its output", async () => {
  using space = new TestWorkspace();
  const job = await begin(space, "echo ready; until [ -e go ]; do sleep 0.01; done; echo 'has s3cret-word'; exit 3");
  expect(space.jobs.running()).toMatchObject([{ id: job.id, sessionId: "ses_1", lastLines: "ready" }]);
  expect(await space.run("read", { path: job.file })).toBe("1\tready");
  const call = space.parsed("read", { path: job.file });
  expect(await space.tool("read").subjects(call, space.where())).toEqual([]);
  const other = space.where({ session: { id: "ses_2" as SessionId } as Session });
  expect(await space.run("read", { path: job.file }, other)).toContain("is outside of the session's directory");
  expect(statSync(job.file).mode & 0o777).toBe(0o600);
  space.put("go", "");
  await vi.waitFor(() => expect(space.jobs.running()).toEqual([]));
  expect(readFileSync(job.file, "utf8")).toBe("ready\nhas [redacted]\n[exit code 3]\n");
});

test("a background command is noted as outliving its call, and is stopped by its id", async () => {
  using space = new TestWorkspace();
  const noted: CallProcess[] = [];
  const stop = new AbortController();
  const where = space.where({ signal: stop.signal, noteProcess: async (process) => void noted.push(process) });
  const job = await begin(space, "sleep 60 & echo ready; wait", where);
  expect(noted).toMatchObject([{ pid: job.pid, outlivesCall: true }]);
  stop.abort();
  expect(isRunning(job.pid)).toBe(true);
  expect(await space.jobs.stop("9")).toBe(false);
  expect(await space.jobs.stop(job.id)).toBe(true);
  expect(isRunning(job.pid)).toBe(false);
  expect(space.jobs.running()).toEqual([]);
  expect(readFileSync(job.file, "utf8")).toBe("ready\n[ended by SIGTERM]\n");
});

test("background commands end when their session is deleted, and with this process", async () => {
  using space = new TestWorkspace();
  const first = await begin(space);
  const session = { id: "ses_2" as SessionId } as Session;
  const second = await begin(space, undefined, space.where({ session }));
  space.delete("ses_1" as SessionId);
  await vi.waitFor(() => expect(space.jobs.running()).toMatchObject([{ sessionId: "ses_2" }]));
  expect([first, second].map(({ pid }) => isRunning(pid))).toEqual([false, true]);
  await space.jobs[Symbol.asyncDispose]();
  expect(isRunning(second.pid)).toBe(false);
  const result = await space.run("shell", { command: "touch made", background: true });
  expect(result).toBe("Error: Hermes is ending. Nothing was started.");
  expect(existsSync(join(space.directory, "made"))).toBe(false);
});

test("no more than sixteen commands run in the background", async () => {
  using space = new TestWorkspace();
  const start = () => space.run("shell", { command: "exec sleep 60", background: true });
  const results = await Promise.all(Array.from({ length: 17 }, start));
  expect(results.filter((text) => text.startsWith("Runs"))).toHaveLength(16);
  expect(results.at(-1)).toContain("16 commands run in the background already");
  await space.jobs[Symbol.asyncDispose]();
});

test("the end of very much output is kept", () => {
  using space = new TestWorkspace();
  const output = new JobOutput(join(space.home, "outputs", "a.txt"), createConcealer([]));
  for (let at = 0; at < 10; at++) output.add(`${at}${"x".repeat(999_999)}\n`);
  output.end("[exit code 0]");
  const kept = readFileSync(output.file, "utf8");
  expect(kept.length).toBeLessThanOrEqual(8_000_000);
  expect(kept).toMatch(/^\[what came before was not kept\]\n\dx+\n/);
  expect(kept).toMatch(/\n9x+\n\[exit code 0\]\n$/);
});
