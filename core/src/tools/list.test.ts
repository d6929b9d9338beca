import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { TestWorkspace } from "./test-workspace.ts";

test("lists a folder, marks what is ignored and follows no link", async () => {
  using space = new TestWorkspace({ ".gitignore": "dist\n", "dist/a": "", "src/b/c.ts": "", ".git/config": "" });
  symlinkSync("/", join(space.directory, "root"));
  expect(await space.run("list", {})).toBe(".gitignore\ndist/ (ignored)\nroot (link)\nsrc/");
  expect(await space.run("list", { path: "src", depth: 3 })).toBe("src/b/\nsrc/b/c.ts");
  expect(await space.run("list", { path: "dist" })).toBe("dist/a");
});

test("leaves out what it is told to skip", async () => {
  using space = new TestWorkspace({ ".env": "", "a.ts": "" }, { isSkipped: (path) => path.endsWith("/.env") });
  expect(await space.run("list", {})).toBe("a.ts");
});

test("reads no .gitignore above that is a link: a device would never end", async () => {
  using space = new TestWorkspace({ ".git/HEAD": "", rules: "*.ts\n", "app/a.ts": "" });
  symlinkSync("rules", join(space.directory, ".gitignore"));
  const where = space.where({ directory: join(space.directory, "app") });
  expect(await space.run("list", {}, where)).toBe("a.ts");
});

test("a .gitignore with many double stars holds nobody up in a deep folder", async () => {
  using space = new TestWorkspace({ ".gitignore": `${"**/a/".repeat(6)}z\n`, [`${"a/".repeat(90)}b`]: "needle" });
  expect(await space.run("search", { pattern: "needle" })).toMatch(/a\/b:1: needle$/);
});

test("a large folder is given up on in its middle", async () => {
  using space = new TestWorkspace(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}.ts`, ""])));
  const stopped = new AbortController();
  const listed = space.run("list", {}, space.where({ signal: stopped.signal }));
  await setImmediate();
  stopped.abort(new Error("stopped"));
  expect(await listed).toBe("Error: stopped");
});
