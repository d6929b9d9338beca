import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Session, SessionId } from "../model/session.ts";
import { TestWorkspace } from "./test-workspace.ts";

test("reads a file with line numbers, and a part of it where that is asked for", async () => {
  using space = new TestWorkspace({ "src/a.ts": "one\r\ntwo\nthree" });
  expect(await space.run("read", { path: "src/a.ts" })).toBe("1\tone\n2\ttwo\n3\tthree");
  expect(await space.run("read", { path: "src/a.ts", first: 2, lines: 1 })).toBe("2\ttwo\n\n[lines 2 to 2 of 3]");
  expect(await space.run("read", { path: "src/a.ts", first: 9 })).toBe("src/a.ts has 3 lines; there is no line 9.");
});

test("reads no binary file, and cuts lines that are very long", async () => {
  using space = new TestWorkspace({ "long.js": "x".repeat(200_000) });
  space.put("a.bin", new Uint8Array([1, 0, 2]));
  expect(await space.run("read", { path: "a.bin" })).toBe("a.bin is a binary file of 3 bytes. It is not shown.");
  expect(await space.run("read", { path: "long.js" })).toMatch(/^1\tx{2000}… \[198000 characters cut\]$/);
});

test("keeps a long result whole in a file that its session alone can read", async () => {
  const lines = Array.from({ length: 2000 }, (_, at) => `${at} ${"y".repeat(40)}`).join("\n");
  using space = new TestWorkspace({ "long.txt": lines });
  const outputFile = join(space.home, "outputs", "ses_1", "trn_1", "1.0");
  const result = await space.run("read", { path: "long.txt" }, space.where({ outputFile }));
  expect(result.length).toBeLessThanOrEqual(30_000);
  expect(result).toMatch(/^1\t0 y+\n/);
  expect(result).toMatch(/characters \(\d+ lines\) were cut here, behind the first \d+ lines\. The whole is in /);
  expect(result).toMatch(/2000\t1999 y+$/);
  expect(statSync(outputFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(outputFile, "utf8").split("\n")).toHaveLength(2000);

  expect(await space.run("read", { path: outputFile, lines: 1 })).toContain("1\t1\t0 y");
  const other = space.where({ session: { id: "ses_2" as SessionId } as Session });
  expect(await space.run("read", { path: outputFile }, other)).toContain("outside of the session's directory");
});

test.each(["../secret", "link/secret", "file-link"])("refuses %s, which leads out of the directory", async (path) => {
  using space = new TestWorkspace();
  writeFileSync(join(space.folder, "secret"), "words");
  symlinkSync(space.folder, join(space.directory, "link"));
  symlinkSync(join(space.folder, "secret"), join(space.directory, "file-link"));
  expect(await space.run("read", { path })).toBe(
    `Error: ${path} is outside of the session's directory (${space.directory}). It was not opened.`,
  );
});

test("follows a link that stays in the directory, and judges what it leads to", async () => {
  using space = new TestWorkspace({ "real/.env": "A=1" });
  symlinkSync("real", join(space.directory, "alias"));
  expect(await space.run("read", { path: "alias/.env" })).toBe("1\tA=1");
  const subjects = await space.tool("read").subjects({ path: "alias/.env" }, space.where());
  expect(subjects).toEqual([join(space.directory, "real/.env")]);
});

test("refuses a pipe without waiting for it, and leaves no handle open", async () => {
  using space = new TestWorkspace({ "a.txt": "one" });
  execFileSync("mkfifo", [join(space.directory, "pipe")]);
  const before = readdirSync("/proc/self/fd").length;
  expect(await space.run("read", { path: "pipe" })).toBe("Error: pipe is no ordinary file.");
  expect(await space.run("read", { path: "." })).toBe("Error: . is a folder.");
  expect(await space.run("read", { path: "missing/a" })).toBe("Error: missing/a is not there.");
  expect(readdirSync("/proc/self/fd").length).toBe(before);
});

test.each([
  ["read", { path: "a" }],
  ["write", { path: "a", content: "" }],
  ["edit", { path: "a", old: "b", new: "c" }],
  ["shell", { command: "true" }],
  ["list", {}],
  ["search", { pattern: "a" }],
])("%s says so where the session has no directory, or not on this machine", async (name, input) => {
  using space = new TestWorkspace();
  expect(await space.run(name, input, space.where({ directory: null }))).toContain("This session has no directory");
  const gone = space.where({ directory: join(space.folder, "gone") });
  expect(await space.run(name, input, gone)).toContain("is not on this machine. Nothing was opened.");
});
