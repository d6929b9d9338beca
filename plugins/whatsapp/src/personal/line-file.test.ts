import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeOwnFile } from "../own-file.ts";
import { LineFile } from "./line-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-lines-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs code in a process whose files cannot grow beyond 1 KiB, as on a disk that is full. Returns what it prints. */
function onFullDisk(code: string, path: string): string {
  const imports = ["./line-file.ts", "../own-file.ts"].map((file, at) => {
    return `import * as m${at} from ${JSON.stringify(new URL(file, import.meta.url).href)};`;
  });
  const script = `${imports.join("")} const { LineFile, writeOwnFile, path } = { ...m0, ...m1, path: process.argv[1] }; ${code}`;
  const run = 'ulimit -f 1; exec "$0" --input-type=module -e "$1" "$2"';
  return execFileSync("bash", ["-c", run, process.execPath, script, path], { encoding: "utf8", stdio: "pipe" });
}

it("a line that a full disk takes a part of is not there, and the next one is read", () => {
  const path = join(folder, "lines");
  const written = onFullDisk(
    `const lines = new LineFile(path);
     let count = 0;
     try { for (;;) { lines.append(JSON.stringify({ line: count, of: "x".repeat(300) })); count++; } } catch {}
     console.log(count);`,
    path,
  );
  const lines = new LineFile(path);
  expect(lines.read()).toHaveLength(Number(written));
  lines.append('{"line":"after"}');
  lines.close();
  expect(lines.read().at(-1)).toEqual({ line: "after" });
});

it("two processes on one file lose no line, though one of them rewrites it", () => {
  const path = join(folder, "lines");
  const [one, other] = [new LineFile(path), new LineFile(path)];
  expect(one.append('{"line":1}')).toBe(false);
  expect(other.read()).toEqual([{ line: 1 }]);
  other.replace(['{"line":"one"}']);
  expect(one.append('{"line":2}')).toBe(true);
  expect(one.append('{"line":3}')).toBe(false);
  expect(other.append('{"line":4}')).toBe(true);
  expect(other.read()).toEqual([{ line: "one" }, { line: 2 }, { line: 3 }, { line: 4 }]);
  for (const file of [one, other]) file.close();
});

it("a file that a full disk takes a part of stays what it was", () => {
  const path = join(folder, "file");
  writeOwnFile(path, "before");
  const said = onFullDisk(
    `try { writeOwnFile(path, "x".repeat(5_000)); console.log("written"); } catch { console.log("refused"); }`,
    path,
  );
  expect(said).toBe("refused\n");
  expect(readFileSync(path, "utf8")).toBe("before");
});
