import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KeptFile } from "./files/kept-file.ts";
import { TestWorkspace } from "./test-workspace.ts";

const textOf = (space: TestWorkspace, path: string) => readFileSync(join(space.directory, path), "utf8");

describe("write", () => {
  test("makes a file with its folders, and leaves no draft behind", async () => {
    using space = new TestWorkspace();
    expect(await space.run("write", { path: "src/deep/a.ts", content: "one\ntwo\n" })).toBe(
      "Made src/deep/a.ts +2 −0.",
    );
    expect(textOf(space, "src/deep/a.ts")).toBe("one\ntwo\n");
    expect(readdirSync(join(space.directory, "src/deep"))).toEqual(["a.ts"]);
  });

  test("replaces only a file that was read, and keeps its mode and line endings", async () => {
    using space = new TestWorkspace({ "run.sh": "\ufeffold\r\nline\r\n" });
    chmodSync(join(space.directory, "run.sh"), 0o751);
    const call = { path: "run.sh", content: "new\nline\n" };
    expect(await space.run("write", call)).toContain("is there already. Read it before");
    await space.run("read", { path: "run.sh" });
    expect(await space.run("write", call)).toBe("Replaced run.sh +1 −1.");
    expect(textOf(space, "run.sh")).toBe("\ufeffnew\r\nline\r\n");
    expect(statSync(join(space.directory, "run.sh")).mode & 0o777).toBe(0o751);
    expect(await space.run("write", { ...call, content: "again" })).toContain("Replaced");
  });

  test.each(["../out.txt", "link/out.txt", "out-link"])("writes nothing to %s, out of the directory", async (path) => {
    using space = new TestWorkspace();
    writeFileSync(join(space.folder, "there"), "kept");
    symlinkSync(space.folder, join(space.directory, "link"));
    symlinkSync(join(space.folder, "there"), join(space.directory, "out-link"));
    expect(await space.run("write", { path, content: "x" })).toContain("is outside of the session's directory");
    expect(readdirSync(space.folder).toSorted()).toEqual(["home", "project", "there"]);
    expect(readFileSync(join(space.folder, "there"), "utf8")).toBe("kept");
  });

  test("keeps the old bytes before it writes, for the user alone", async () => {
    using space = new TestWorkspace({ "a.txt": "old" });
    const outputFile = join(space.home, "outputs", "ses_1", "trn_1", "2.0");
    await space.run("read", { path: "a.txt" });
    await space.run("write", { path: "a.txt", content: "new" }, space.where({ outputFile }));
    const kept = JSON.parse(readFileSync(`${outputFile}.before.json`, "utf8")) as KeptFile;
    expect(kept.path).toBe(join(space.directory, "a.txt"));
    expect(Buffer.from(kept.before ?? "", "base64").toString()).toBe("old");
    expect(statSync(`${outputFile}.before.json`).mode & 0o777).toBe(0o600);
    expect(await space.run("read", { path: `${outputFile}.before.json` })).toContain("is outside of the session's");
  });
});

describe("edit", () => {
  test("replaces an exact text, shows the diff and keeps line endings", async () => {
    using space = new TestWorkspace({ "a.ts": "one\r\ntwo $& three\r\nfour\r\n" });
    const call = { path: "a.ts", old: "two $& three\nfour", new: "2 $& $1\nfour\n5" };
    expect(space.tool("edit").summary(space.parsed("edit", call))).toBe("a.ts +2 −1");
    const diff = "a.ts\n@@ -1,3 +1,4 @@\n one\n-two $& three\n+2 $& $1\n four\n+5";
    expect(await space.tool("edit").detail?.(space.parsed("edit", call), space.where())).toBe(diff);
    expect(await space.run("edit", call)).toBe(`Changed a.ts +2 −1.\n\n${diff}`);
    expect(textOf(space, "a.ts")).toBe("one\r\n2 $& $1\r\nfour\r\n5\r\n");
  });

  test("shows hidden and control characters of a change escaped", async () => {
    using space = new TestWorkspace({ "a.ts": "x\n" });
    const call = space.parsed("edit", { path: "a.ts", old: "x", new: "a\u202eb\u001b[2J" });
    expect(await space.tool("edit").detail?.(call, space.where())).toContain("+a\\u202eb\\u001b[2J");
  });

  test("refuses a text that is not there, or stands there more than once", async () => {
    using space = new TestWorkspace({ "a.ts": "x x" });
    expect(await space.run("edit", { path: "a.ts", old: "y", new: "z" })).toContain("`old` does not stand in a.ts");
    expect(await space.run("edit", { path: "a.ts", old: "x", new: "z" })).toContain("`old` stands in a.ts 2 times");
    expect(await space.run("edit", { path: "none.ts", old: "x", new: "z" })).toBe("Error: none.ts is not there.");
    expect(textOf(space, "a.ts")).toBe("x x");
    await space.run("edit", { path: "a.ts", old: "x", new: "z", all: true });
    expect(textOf(space, "a.ts")).toBe("z z");
  });

  test("refuses a file that somebody changed since it was read, and one that is no text", async () => {
    using space = new TestWorkspace({ "a.ts": "x" });
    await space.run("read", { path: "a.ts" });
    space.put("a.ts", "x, by somebody else");
    expect(await space.run("edit", { path: "a.ts", old: "x", new: "y" })).toContain("was changed since it was read");
    expect(textOf(space, "a.ts")).toBe("x, by somebody else");
    space.put("b.bin", new Uint8Array([120, 0, 255]));
    expect(await space.run("edit", { path: "b.bin", old: "x", new: "y" })).toContain("is no text in UTF-8");
  });
});
