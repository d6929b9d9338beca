import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestWorkspace } from "../test-workspace.ts";
import { checkedPath } from "./checked-path.ts";
import { foundFile, replaceContent } from "./replace-content.ts";

test("writes nothing over what somebody wrote between the reading and the renaming", () => {
  using space = new TestWorkspace({ "a.txt": "read" });
  const place = checkedPath("a.txt", space.where());
  const found = foundFile(place);
  space.put("a.txt", "else");
  expect(() => replaceContent(place, Buffer.from("mine"), found)).toThrow("was changed by somebody else meanwhile");
  expect(() => replaceContent(place, Buffer.from("mine"), null)).toThrow("was changed by somebody else meanwhile");
  expect(readFileSync(join(space.directory, "a.txt"), "utf8")).toBe("else");
  expect(readdirSync(space.directory)).toEqual(["a.txt"]);
});

test("makes no file again that somebody removed", () => {
  using space = new TestWorkspace({ "a.txt": "read" });
  const place = checkedPath("a.txt", space.where());
  const found = foundFile(place);
  rmSync(place.real);
  expect(() => replaceContent(place, Buffer.from("mine"), found)).toThrow("a.txt is not there");
  expect(readdirSync(space.directory)).toEqual([]);
});
