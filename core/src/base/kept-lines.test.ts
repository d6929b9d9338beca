import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeptLines } from "./kept-lines.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-lines-"));
  path = join(folder, "made.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

type Line = { readonly key: string; readonly id: string | null };

/** Opens the journal as a process does: `made` is the id for each key. */
function open(mostNewLines = 1_000): { readonly made: Map<string, string>; readonly lines: KeptLines<Line> } {
  const made = new Map<string, string>();
  const lines = new KeptLines<Line>({
    path,
    clear: () => made.clear(),
    apply: ({ key, id }) => void (id === null ? made.delete(key) : made.set(key, id)),
    lines: () => [...made].map(([key, id]) => ({ key, id })),
    mostNewLines,
  });
  return { made, lines };
}

const linesOf = () => readFileSync(path, "utf8").split("\n").slice(0, -1);

describe("KeptLines", () => {
  it("the next process reads the lines, from a file with mode 0600", () => {
    const { lines } = open();
    lines.append({ key: "a", id: "1" });
    lines.append({ key: "b", id: "2" });
    lines.append({ key: "a", id: null });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect([...open().made]).toEqual([["b", "2"]]);
  });

  it("skips a line that a crash cut off", () => {
    open().lines.append({ key: "a", id: "1" });
    appendFileSync(path, '{"key":"b","i');
    expect([...open().made]).toEqual([["a", "1"]]);
  });

  it("keeps the line whose append triggers a compaction", () => {
    const { lines } = open(3);
    for (const id of ["1", "2", "3", "4"]) lines.append({ key: "a", id });
    expect(linesOf()).toEqual(['{"key":"a","id":"4"}']);
    lines.append({ key: "b", id: "5" });
    expect([...open().made]).toEqual([
      ["a", "4"],
      ["b", "5"],
    ]);
  });

  it("loses no line of two processes that write in turn, even when one compacts it", () => {
    const [slept, awake] = [open(3), open(3)];
    slept.lines.append({ key: "a", id: "1" });
    awake.lines.append({ key: "b", id: "2" });
    expect(awake.made.get("a")).toBe("1");
    for (const id of ["3", "4", "5"]) awake.lines.append({ key: "c", id });
    slept.lines.append({ key: "d", id: "6" });
    const all = { a: "1", b: "2", c: "5", d: "6" };
    expect(Object.fromEntries(slept.made)).toEqual(all);
    expect(Object.fromEntries(open().made)).toEqual(all);
  });

  it("drops a line that a full disk cut off, and reads the next one", () => {
    // `ulimit -f 1` limits files of the process to 1 KiB.
    const script = `import { KeptLines } from ${JSON.stringify(new URL("./kept-lines.ts", import.meta.url).href)};
      const lines = new KeptLines({
        path: process.argv[1], clear() {}, apply() {}, lines: () => [], mostNewLines: 1_000, isDurable: true,
      });
      let count = 0;
      try { for (;;) { lines.append({ key: "x".repeat(300) + count, id: "1" }); count++; } } catch {}
      console.log(count);`;
    const run = 'ulimit -f 1; exec "$0" --input-type=module -e "$1" "$2"';
    const options = { encoding: "utf8", stdio: "pipe" } as const;
    const written = execFileSync("bash", ["-c", run, process.execPath, script, path], options);
    expect(open().made.size).toBe(Number(written));
    open().lines.append({ key: "after", id: "2" });
    expect([...open().made].at(-1)).toEqual(["after", "2"]);
  });

  it("writes no file before there is a line", () => {
    open();
    expect(() => statSync(path)).toThrow("ENOENT");
  });
});
