import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createRedactor } from "../base/redact.ts";
import { createFileLogger, logFileOf } from "./file-logger.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-log-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const lines = () =>
  readFileSync(logFileOf(home), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function open(level: "debug" | "info" = "info") {
  return createFileLogger({ file: logFileOf(home), level, redact: createRedactor(["very-secret-1"]) });
}

test("each log event is a line of JSON with its fields, in a file with mode 0600", () => {
  using logger = open();
  logger.child({ plugin: "web" }).info({ port: 1 }, "listening");
  expect(lines()).toMatchObject([{ level: "info", plugin: "web", port: 1, msg: "listening", pid: process.pid }]);
  expect(statSync(logFileOf(home)).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(logFileOf(home))).mode & 0o777).toBe(0o700);
});

test("the message of an error stands once in its line of the log", () => {
  using logger = open();
  logger.warn({ error: new Error("the wire is cut") }, "a handoff failed");
  expect(JSON.stringify(lines()[0]).split("the wire is cut")).toHaveLength(2);
  expect(lines()[0]).toMatchObject({ error: { stack: expect.stringMatching(/^at .*file-logger\.test/) } });
});

test("secrets are redacted in the log's messages, fields and errors", () => {
  using logger = open();
  const error = new Error("no very-secret-1", { cause: new Error("very-secret-1") });
  logger.error({ error, url: "http://x/very-secret-1" }, "failed with very-secret-1");
  expect(readFileSync(logFileOf(home), "utf8")).not.toContain("very-secret-1");
  expect(lines()[0]).toMatchObject({ error: { message: "no [redacted]" }, msg: "failed with [redacted]" });
});

test("the log file is not created before the first line", () => {
  using logger = open();
  logger.debug({}, "too fine");
  expect(existsSync(logFileOf(home))).toBe(false);
});

test("a log that is too long is rotated, and one old log is kept", () => {
  mkdirSync(dirname(logFileOf(home)));
  writeFileSync(`${logFileOf(home)}.1`, "oldest");
  writeFileSync(logFileOf(home), "x".repeat(5 * 1024 * 1024 + 1));
  using logger = open();
  logger.info({}, "fresh");
  expect(lines()).toHaveLength(1);
  expect(readFileSync(`${logFileOf(home)}.1`, "utf8")).toMatch(/^xxx/);
});
