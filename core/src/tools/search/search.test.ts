import { spawnSync } from "node:child_process";
import { linkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestWorkspace } from "../test-workspace.ts";
import { isSharedSyntax } from "./matches.ts";

const ripgrep = spawnSync("rg", ["--version"]).status === 0;

const FILES = {
  ".gitignore": "*.log\n/build/\n!keep.log\n",
  "src/.gitignore": "made.ts\n",
  "a.log": "needle",
  "keep.log": "needle kept",
  "build/out.ts": "needle",
  "src/build/in.ts": "needle within",
  "src/made.ts": "needle",
  "src/a.ts": "first\r\nconst needle = 1;\r\nNEEDLE(x)\n",
  "src/words.txt": 'Žluťoučký "kůň"\nfoo.bar\nfooxbar\n',
  ".hidden/b.ts": "needle hidden",
};

function workspace(program: string) {
  const space = new TestWorkspace(FILES, { ripgrep: program, isSkipped: (path) => path.endsWith("skipped.ts") });
  space.put("image.bin", Buffer.from("needle\0needle"));
  space.put("src/skipped.ts", "needle");
  writeFileSync(join(space.folder, "outside.ts"), "needle");
  symlinkSync(space.folder, join(space.directory, "link"));
  return space;
}

const PROGRAMS = [["JavaScript", "no-such-program"], ...(ripgrep ? [["ripgrep", "rg"]] : [])] as [string, string][];

describe.each(PROGRAMS)("search by %s", (_, program) => {
  test("finds lines in files that are text, not ignored and below the directory", async () => {
    using space = workspace(program);
    expect(await space.run("search", { pattern: "needle" })).toBe(
      [
        ".hidden/b.ts:1: needle hidden",
        "keep.log:1: needle kept",
        "src/a.ts:2: const needle = 1;",
        "src/build/in.ts:1: needle within",
      ].join("\n"),
    );
  });

  test("a file with several names is searched where a call names it, else only counted", async () => {
    using space = new TestWorkspace({ "skipped.ts": "needle" }, { ripgrep: program });
    linkSync(join(space.directory, "skipped.ts"), join(space.directory, "notes.txt"));
    space.put("node_modules/a.ts", "needle");
    linkSync(join(space.directory, "node_modules/a.ts"), join(space.folder, "stored"));
    expect(await space.run("search", { pattern: "needle" })).toBe(
      "node_modules/a.ts:1: needle\n[2 files with several names (hard links) not searched: name one]",
    );
    expect(await space.run("search", { pattern: "needle", path: "notes.txt" })).toBe("notes.txt:1: needle");
  });

  test.each([
    [
      { pattern: "needle", ignoreCase: true, glob: "*.ts", path: "src" },
      ["src/a.ts:2", "src/a.ts:3", "src/build/in.ts:1"],
    ],
    [{ pattern: "1;$" }, ["src/a.ts:2"]],
    [{ pattern: "foo\\.bar" }, ["src/words.txt:2"]],
    [{ pattern: "^foo[^.]bar$|NEED(?:LE)+" }, ["src/a.ts:3", "src/words.txt:3"]],
    [{ pattern: "\\bkept\\b" }, ["keep.log:1"]],
    [{ pattern: "(?<=foo)x" }, ["src/words.txt:3"]],
    [{ pattern: "žLUŤ", ignoreCase: true }, ["src/words.txt:1"]],
    [{ pattern: '\\"k' }, ["src/words.txt:1"]],
    [{ pattern: "needle", path: "build" }, ["build/out.ts:1"]],
    [{ pattern: "needle", path: "src/skipped.ts" }, ["src/skipped.ts:1"]],
  ])("finds for %j the same lines by any program", async (input, expected) => {
    using space = workspace(program);
    const found = await space.run("search", input);
    expect(found.split("\n").map((line) => /^[^:]+:\d+/.exec(line)?.[0])).toEqual(expected);
  });

  test("names that there is more than the limit, or nothing", async () => {
    using space = workspace(program);
    expect(await space.run("search", { pattern: "needle", limit: 1 })).toBe(
      ".hidden/b.ts:1: needle hidden\n[more than 1 lines match]",
    );
    expect(await space.run("search", { pattern: "nowhere", path: "src" })).toBe("Nothing in 4 files matches.");
    expect(await space.run("search", { pattern: "(" })).toContain("The pattern is no regular expression");
  });
});

test("a pattern that takes for ever is given up on", async () => {
  using space = new TestWorkspace({ "a.txt": `${"a".repeat(40)}!` }, { ripgrep: "no-such-program" });
  expect(await space.run("search", { pattern: "(a+)+$" })).toContain("The pattern takes too long in a.txt");
});

test("a directory within a repository is searched by the rules of the whole repository", async () => {
  using space = new TestWorkspace({
    ".git/HEAD": "",
    ".gitignore": "*.gen\n/app/out\n",
    "app/a.gen": "x",
    "app/out/b": "x",
  });
  space.put("app/c.ts", "x");
  const where = space.where({ directory: join(space.directory, "app") });
  expect(await space.run("search", { pattern: "x" }, where)).toBe("c.ts:1: x");
});

test.each(["\\bx", "(?=a)", "[[]a]", "a&&b", "\\1", "(?i)a", "[a&&b]", "[a--b]", "\\w+", "a{,3}"])(
  "%s is not given to ripgrep, to which it may mean something else",
  (pattern) => expect(isSharedSyntax(pattern)).toBe(false),
);

test("a glob with more ** than are looked at is an error rather than no match", async () => {
  using space = new TestWorkspace({ "a/b/c/d.ts": "needle" }, { ripgrep: "no-such-program" });
  expect(await space.run("search", { pattern: "needle", glob: "**/a/**/b/**" })).toBe("a/b/c/d.ts:1: needle");
  expect(await space.run("search", { pattern: "needle", glob: "**/a/**/b/**/c/**" })).toBe(
    "Error: The glob has more than three **",
  );
});
