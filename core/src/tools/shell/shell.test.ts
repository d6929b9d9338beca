import { spawnSync } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { CallProcess } from "../../model/turn.ts";
import { TestWorkspace } from "../test-workspace.ts";

afterEach(() => vi.unstubAllEnvs());

/** Whether a process runs; one that has ended and that nobody has asked about, yet, does not. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

test("runs a command in the session's directory and tells its exit code", async () => {
  using space = new TestWorkspace();
  expect(await space.run("shell", { command: "pwd; echo wrong >&2; exit 3" })).toMatch(/\nwrong\n\[exit code 3\]$/);
  expect(await space.run("shell", { command: "pwd" })).toBe(`${space.directory}\n[exit code 0]`);
  const inherited = "[ -e /proc/$$/fd/3 ] && echo open || echo closed";
  expect(await space.run("shell", { command: inherited })).toBe("closed\n[exit code 0]");
  expect(await space.run("shell", { command: "true" })).toBe("(no output)\n[exit code 0]");
  expect(await space.run("shell", { command: "cat; kill -9 $$" })).toBe("(no output)\n[ended by SIGKILL]");
});

test("reports what a command puts out while it runs", async () => {
  using space = new TestWorkspace();
  const go = join(space.directory, "go");
  const reported: string[] = [];
  const report = (text: string) => {
    reported.push(text);
    if (text.includes("one")) writeFileSync(go, "");
  };
  const command = "echo one; until [ -e go ]; do sleep 0.01; done; echo two";
  expect(await space.run("shell", { command }, space.where({ report }))).toBe("one\ntwo\n[exit code 0]");
  expect(reported.join("")).toBe("one\ntwo\n");
});

test("a command that takes too long is stopped, even if it ignores SIGTERM", async () => {
  using space = new TestWorkspace({}, { graceMs: 50 });
  const command = "trap '' TERM; sleep 60 & echo $$ $!; wait; sleep 60";
  const result = await space.run("shell", { command, timeLimit: 0.3 });
  expect(result).toMatch(/^\d+ \d+\n\[stopped: it ran longer than 0\.3 s\]$/);
  for (const pid of result.match(/\d+/g)?.slice(0, 2) ?? []) expect(isRunning(Number(pid))).toBe(false);
});

const OWN_SESSION = "setsid bash -c 'echo $$ >pid; exec sleep 60' & until [ -s pid ]; do sleep 0.01; done; cat pid";
const LEAVING = [
  ["in the background", "sleep 60 & echo $!"],
  ...(process.platform === "linux" ? [["in a session of its own", OWN_SESSION]] : []),
];
test.each(LEAVING)("what a command leaves %s ends with the call", async (_, command) => {
  using space = new TestWorkspace();
  const result = await space.run("shell", { command });
  expect(result).toMatch(/^\d+\n\[exit code 0\]\n\[what it left running was ended\]$/);
  expect(isRunning(Number.parseInt(result, 10))).toBe(false);
});

test("a call that is stopped ends its processes", async () => {
  using space = new TestWorkspace();
  const stop = new AbortController();
  let pid = 0;
  const report = (text: string) => {
    pid = Number.parseInt(text, 10);
    stop.abort(new Error("stopped"));
  };
  const where = space.where({ signal: stop.signal, report });
  expect(await space.run("shell", { command: "echo $$; sleep 60" }, where)).toBe("Error: stopped");
  expect(isRunning(pid)).toBe(false);
});

test("a command begins when its process is noted, and never where that fails", async () => {
  using space = new TestWorkspace();
  const [made, never] = [join(space.directory, "made"), join(space.directory, "never")];
  const noted: CallProcess[] = [];
  const noteProcess = async (process: CallProcess) => {
    // What is not released waits, however long: nothing of the command runs.
    expect(isRunning(process.pid)).toBe(true);
    expect(existsSync(made)).toBe(false);
    noted.push(process);
  };
  expect(await space.run("shell", { command: "touch made; echo $$" }, space.where({ noteProcess }))).toBe(
    `${noted[0]?.pid}\n[exit code 0]`,
  );
  const refused = async (process: CallProcess) => {
    noted.push(process);
    throw new Error("superseded");
  };
  const where = space.where({ noteProcess: refused });
  expect(await space.run("shell", { command: "touch never" }, where)).toBe("Error: superseded");
  expect(isRunning(noted[1]?.pid ?? 0)).toBe(false);
  expect([existsSync(made), existsSync(never)]).toEqual([true, false]);
});

test("a command gets no secret, start-up file or function of Hermes' environment", async () => {
  using space = new TestWorkspace({ "env.sh": "touch was-run" });
  vi.stubEnv("BASH_ENV", join(space.directory, "env.sh"));
  vi.stubEnv("BOT_TOKEN", "secret-words");
  vi.stubEnv("BASH_FUNC_ls%%", "() { touch was-run; }");
  const result = await space.run("shell", { command: "ls >/dev/null; env" });
  expect(result).not.toContain("secret-words");
  expect(existsSync(join(space.directory, "was-run"))).toBe(false);
  const names = result.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
  expect(names).toEqual(expect.arrayContaining(["PATH", "HERMES_CALL"]));
  expect(names.filter((name) => /BASH|TOKEN|NODE/.test(name))).toEqual([]);
});

test("keeps head and tail of a flood of output", async () => {
  using space = new TestWorkspace();
  const outputFile = join(space.home, "outputs", "ses_1", "trn_1", "1.0");
  const command = "echo begin; head -c 20000000 /dev/zero | tr '\\0' x; echo end";
  const result = await space.run("shell", { command }, space.where({ outputFile }));
  expect(result.length).toBeLessThanOrEqual(30_000);
  expect(result).toMatch(/^begin\nx/);
  expect(result).toMatch(/xend\n\[exit code 0\]$/);
  expect(statSync(outputFile).size).toBeLessThan(9_000_000);
});

test("rules judge what their function makes of a command, or all of it", async () => {
  using plain = new TestWorkspace();
  using ruled = new TestWorkspace({}, { shellSubjects: (command) => command.split(" && ") });
  const call = { command: "npm test && rm -rf dist" };
  expect(await plain.tool("shell").subjects(call, plain.where())).toEqual(["npm test && rm -rf dist"]);
  expect(await ruled.tool("shell").subjects(call, ruled.where())).toEqual(["npm test", "rm -rf dist"]);
});

test("shows a person the whole command, with hidden characters escaped", () => {
  using space = new TestWorkspace();
  const call = { command: "echo a\u202eb\nrm c" };
  expect(space.tool("shell").summary(call)).toBe("echo a\\u202eb\\nrm c");
  expect(space.tool("shell").detail?.(call, space.where())).toBe("echo a\\u202eb\nrm c");
});
