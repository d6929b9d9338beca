import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logFileOf } from "../../log/file-logger.ts";
import { runCli } from "../program.ts";
import { createTestTerminal } from "../test-terminal.ts";

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-logs-"));
  file = logFileOf(home);
  mkdirSync(dirname(file));
});
afterEach(() => rmSync(home, { recursive: true }));

const entry = (level: string, msg: string, more: object = {}) => {
  return `${JSON.stringify({ level, time: new Date().toISOString(), pid: 7, role: "gateway", msg, ...more })}\n`;
};

function start(...words: string[]) {
  const terminal = createTestTerminal({ home, workingDirectory: home });
  return { ...terminal, ended: runCli(["logs", ...words], { io: terminal.io }) };
}

async function logs(...words: string[]) {
  const run = start(...words);
  return { code: await run.ended, stdout: run.stdout(), stderr: run.stderr() };
}

test("shows time, level, platform, message, fields and error of each entry", async () => {
  const error = { name: "Error", code: "PLATFORM_UNAVAILABLE", message: "no way", cause: { message: "ECONNRESET" } };
  writeFileSync(`${file}.1`, entry("info", "earlier"));
  writeFileSync(file, entry("warn", "not sent", { platform: "pager", attempt: 2, error }));
  const { stdout } = await logs();
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "TIME").split("\n")).toEqual([
    "TIME info  gateway earlier",
    "TIME warn  pager not sent attempt=2",
    "    PLATFORM_UNAVAILABLE: no way",
    "    ECONNRESET",
    "",
  ]);
});

test("-n, --level and --since choose, and a line that is no JSON is shown", async () => {
  const old = { time: new Date(Date.now() - 7_200_000).toISOString() };
  writeFileSync(file, [entry("error", "old", old), entry("info", "fine"), entry("error", "bad"), "cut o\n"].join(""));
  expect((await logs("--level", "warn", "--since", "1h")).stdout).toMatch(/^\S+ \S+ error gateway bad\n +cut o\n$/);
  expect((await logs("-n", "1")).stdout).toMatch(/^ +cut o\n$/);
  expect((await logs("--level", "warn", "--since", "2w")).stdout).toContain("old");
  expect((await logs("--since", "soon")).stderr).toContain("an age such as");
  expect((await logs("--level", "loud")).code).toBe(2);
});

test("--json prints each line as JSON, with hidden characters and escapes as numbers", async () => {
  writeFileSync(file, `${entry("info", "a").replace('"a"', '"a\u202e"')}\u001b[2Jcut\n`);
  const { stdout } = await logs("--json");
  const lines = stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["a\u202e", "\u001b[2Jcut"]);
  expect(stdout).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
  expect((await logs()).stdout).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
});

test("an empty log is no error, and -f goes on with what is written until Ctrl-C", async () => {
  expect(await logs()).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("hermes.log") });
  const run = start("-f");
  appendFileSync(file, entry("info", "here it is"));
  await run.printed("here it is");
  run.signal("SIGINT");
  expect(await run.ended).toBe(0);
});
