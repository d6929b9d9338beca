import { closeSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestWorkspace } from "../test-workspace.ts";
import { checkedPath, inFolderOf } from "./checked-path.ts";
import { HeldFolder } from "./held-folder.ts";

test.skipIf(process.platform !== "linux")("a held folder is still the same when a link takes its path", () => {
  using space = new TestWorkspace({ "inner/a.txt": "inside" });
  writeFileSync(join(space.folder, "a.txt"), "outside");
  using held = HeldFolder.open(join(space.directory, "inner"));
  renameSync(join(space.directory, "inner"), join(space.directory, "moved"));
  symlinkSync(space.folder, join(space.directory, "inner"));
  const handle = held.open("a.txt");
  expect(readFileSync(handle, "utf8")).toBe("inside");
  closeSync(handle);
});

test("a folder that becomes a link between the check and the opening is not entered", () => {
  using space = new TestWorkspace({ "inner/a.txt": "inside" });
  writeFileSync(join(space.folder, "a.txt"), "outside");
  const place = checkedPath("inner/a.txt", space.where());
  renameSync(join(space.directory, "inner"), join(space.directory, "moved"));
  symlinkSync(space.folder, join(space.directory, "inner"));
  expect(() => inFolderOf(place, (folder, name) => folder.open(name))).toThrow("inner/a.txt is no folder");
});
