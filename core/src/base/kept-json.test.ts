import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeptJson } from "./kept-json.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-json-"));
  path = join(folder, "ids.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => new KeptJson<Record<string, string>>(path, { empty: {} });

describe("KeptJson", () => {
  it("a read returns the last write, from a file with mode 0600", () => {
    expect(open().read()).toEqual({});
    open().write({ a: "1" });
    open().write({ a: "2" });
    expect(open().read()).toEqual({ a: "2" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["ids.json"]);
  });

  it("renames a file that cannot be parsed, and starts empty", () => {
    writeFileSync(path, '{"a":');
    expect(open().read()).toEqual({});
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(`${path}.unreadable`, "utf8")).toBe('{"a":');
    open().write({ b: "1" });
    expect(open().read()).toEqual({ b: "1" });
  });

  it("reads an earlier format of the file", () => {
    writeFileSync(path, '["a"]');
    const kept = new KeptJson<{ names: unknown[] }>(path, {
      empty: { names: [] },
      parse: (json) => (Array.isArray(json) ? { names: json } : (json as { names: unknown[] })),
    });
    expect(kept.read()).toEqual({ names: ["a"] });
  });
});
