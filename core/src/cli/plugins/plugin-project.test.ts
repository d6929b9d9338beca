import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderForNew } from "./plugin-project.ts";

test("a plugin is added to no new config in a folder that everybody may write to", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-shared-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const core = join(root, "node_modules/@hermes/core");
  const [home, below] = [join(root, "home"), join(root, "below")];
  for (const folder of [core, below]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, "package.json"), "{}");
  expect(folderForNew(below, home, core)).toBe(root);
  chmodSync(root, 0o1777);
  expect(folderForNew(below, home, core)).toBe(home);
});
