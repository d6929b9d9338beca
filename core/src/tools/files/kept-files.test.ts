import { chmodSync, existsSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SessionId } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import { TestWorkspace } from "../test-workspace.ts";
import { KeptFiles } from "./kept-files.ts";

const SESSION = "ses_1" as SessionId;
const TURNS = ["trn_1", "trn_2"] as TurnId[];

/** A folder whose files the tools of two turns have changed. */
async function changed() {
  const space = new TestWorkspace({ "a.txt": "one", "b.txt": "one" });
  chmodSync(join(space.directory, "a.txt"), 0o751);
  const call = (turnId: string, callId: string, name: string, input: Record<string, unknown>) =>
    space.run(name, input, space.where({ turnId: turnId as TurnId, callId }));
  await call("trn_1", "2.0", "edit", { path: "a.txt", old: "one", new: "two" });
  await call("trn_1", "10.0", "edit", { path: "a.txt", old: "two", new: "three" });
  await call("trn_2", "1.0", "edit", { path: "a.txt", old: "three", new: "four" });
  await call("trn_2", "1.1", "edit", { path: "b.txt", old: "one", new: "two" });
  await call("trn_2", "1.2", "write", { path: "new/c.txt", content: "made" });
  const at = (name: string) => join(space.directory, name);
  const kept = new KeptFiles(space.home);
  const states = (turns = TURNS) =>
    kept.of(SESSION, turns).map(({ path, state }) => [path.slice(at("/").length), state]);
  return { space, kept, at, states };
}

test("files are put back as they were before the first call, with their mode", async () => {
  const { space, kept, at, states } = await changed();
  using _ = space;
  expect(states().map(([, state]) => state)).toEqual(["as written", "as written", "as written"]);
  for (const { path } of kept.of(SESSION, TURNS)) kept.putBack(SESSION, TURNS, path);
  expect(["a.txt", "b.txt"].map((name) => readFileSync(at(name), "utf8"))).toEqual(["one", "one"]);
  expect(statSync(at("a.txt")).mode & 0o777).toBe(0o751);
  expect(existsSync(at("new/c.txt"))).toBe(false);
  expect(states().map(([, state]) => state)).toEqual(["as before", "as before", "as before"]);
});

test("a file that somebody changed since is left as it is", async () => {
  const { space, kept, at, states } = await changed();
  using _ = space;
  space.put("a.txt", "by somebody else");
  space.put("new/c.txt", "by somebody else");
  expect(states().map(([, state]) => state)).toEqual(["changed since", "as written", "changed since"]);
  for (const name of ["a.txt", "new/c.txt"]) {
    expect(() => kept.putBack(SESSION, TURNS, at(name))).toThrow("was changed since. It stays as it is.");
    expect(readFileSync(at(name), "utf8")).toBe("by somebody else");
  }
});

test("/undo loses no change that somebody made between two calls either", async () => {
  const { space, kept, at, states } = await changed();
  using _ = space;
  // The first turn alone: the second one changed the file after it.
  expect(states([TURNS[0] as TurnId])).toEqual([["a.txt", "changed since"]]);
  space.put("b.txt", "two, and more");
  const where = space.where({ turnId: "trn_2" as TurnId, callId: "2.0" });
  await space.run("read", { path: "b.txt" });
  await space.run("edit", { path: "b.txt", old: "more", new: "less" }, where);
  expect(states().find(([name]) => name === "b.txt")).toEqual(["b.txt", "changed since"]);
  expect(() => kept.putBack(SESSION, TURNS, at("b.txt"))).toThrow("was changed since");
});

test("no link that took the place of a file or its folder is followed", async () => {
  const { space, kept, at, states } = await changed();
  using _ = space;
  renameSync(at("new"), join(space.folder, "moved"));
  symlinkSync(join(space.folder, "moved"), at("new"));
  expect(states().at(-1)?.[1]).toBe("changed since");
  expect(() => kept.putBack(SESSION, TURNS, at("new/c.txt"))).toThrow("was changed since");
  expect(existsSync(join(space.folder, "moved/c.txt"))).toBe(true);
});
