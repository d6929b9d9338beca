import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROTATE_AT, RotatingFile } from "./rotating-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-log-"));
  path = join(folder, "logs", "hermes.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A line of 1 KiB that begins with `name`. */
const line = (name: string) => `${name.padEnd(1023, ".")}\n`;
const LINES_OF_A_FILE = ROTATE_AT / 1024;

/** The names that the lines of the file begin with. */
const names = (file: string) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((text) => text.replace(/\.+$/, ""));

test("a log that grows too long is rotated while the process runs, and loses no line", () => {
  const log = new RotatingFile(path);
  for (let at = 0; at < LINES_OF_A_FILE + 10; at++) log.write(line(`${at}`));
  log.close();
  expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(ROTATE_AT + 1024);
  expect([...names(`${path}.1`), ...names(path)]).toEqual(
    Array.from({ length: LINES_OF_A_FILE + 10 }, (_, at) => `${at}`),
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a process whose log was rotated by another one continues in the new log", () => {
  const [one, other] = [new RotatingFile(path), new RotatingFile(path)];
  one.write(line("one"));
  for (let at = 0; at < LINES_OF_A_FILE + 1; at++) other.write(line("other"));
  one.write(line("one, later"));
  expect(names(path)).toEqual(["other", "one, later"]);
  one.close();
  other.close();
});

test("the lock of a process that died while rotating expires", () => {
  const log = new RotatingFile(path);
  log.write(line("first"));
  const lock = `${path}.lock`;
  writeFileSync(lock, "");
  writeFileSync(path, "x".repeat(ROTATE_AT + 1));
  log.write(line("while it may be at work"));
  expect(existsSync(`${path}.1`)).toBe(false);
  utimesSync(lock, 0, 0);
  log.write(line("finds the lock too old"));
  log.write(line("puts it aside"));
  expect(names(path)).toEqual(["puts it aside"]);
  log.close();
});

test("concurrent processes lose no line of a shared log, and rotate it once", async () => {
  const script = `
    import { RotatingFile } from ${JSON.stringify(join(import.meta.dirname, "rotating-file.ts"))};
    const log = new RotatingFile(process.argv[1]);
    for (let at = 0; at < 2000; at++) log.write(\`\${process.argv[2]}-\${at}\`.padEnd(1023, ".") + "\\n");`;
  const processes = ["a", "b", "c"].map((name) =>
    spawn(process.execPath, ["--input-type=module", "-e", script, path, name], { stdio: "inherit" }),
  );
  const codes = await Promise.all(processes.map(async (child) => (await once(child, "exit"))[0]));
  expect(codes).toEqual([0, 0, 0]);
  // Six thousand lines: one file of about five thousand, and the rest.
  const written = [...names(`${path}.1`), ...names(path)];
  const expected = ["a", "b", "c"].flatMap((name) => Array.from({ length: 2000 }, (_, at) => `${name}-${at}`));
  expect(written.toSorted()).toEqual(expected.toSorted());
});
