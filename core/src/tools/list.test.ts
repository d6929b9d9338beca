import { symlinkSync } from "node:fs";
import { join } from "node:path";
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
