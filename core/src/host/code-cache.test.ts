import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CODE_CACHE } from "./home-openings.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-code-"));
  mkdirSync(join(home, CODE_CACHE), { recursive: true, mode: 0o700 });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Whether a process that has this home keeps what it compiles. */
function isKept(): boolean {
  const source = JSON.stringify(join(import.meta.dirname, "code-cache.ts"));
  const program = `const { useCodeCache } = await import(${source}); useCodeCache(process.env);
    process.stdout.write(String((await import("node:module")).getCompileCacheDir()));`;
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  const env = { ...environment, HERMES_HOME: home };
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { env, encoding: "utf8" });
  return said !== "undefined";
}

it("Node keeps what it compiles in the user's own home", () => {
  expect(isKept()).toBe(typeof process.getBuiltinModule("node:module").registerHooks === "function");
});

it("no code is kept in a home that others may write to", () => {
  chmodSync(home, 0o777);
  expect(isKept()).toBe(false);
});

it.runIf(process.geteuid?.() === 0)("no code is taken from a home or a folder that somebody else owns", () => {
  for (const theirs of [home, join(home, CODE_CACHE)]) {
    chownSync(theirs, 4_321, 4_321);
    expect([theirs, isKept()]).toEqual([theirs, false]);
    chownSync(theirs, 0, 0);
  }
});
