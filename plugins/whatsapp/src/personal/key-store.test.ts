import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KeyStore } from "./key-store.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-keys-"));
  path = join(folder, "keys.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

it("keeps keys for the next process that nobody else on the machine can read", () => {
  const keys = new KeyStore(path);
  keys.set({ session: { ada: Buffer.from([1, 2, 3]) }, "device-list": { ada: ["0"] } });
  keys.set({ session: { bob: Buffer.from([4]) }, "device-list": { ada: null } });
  keys.close();
  const next = new KeyStore(path);
  expect(next.get("session", ["ada", "bob", "nobody"])).toEqual({ ada: Buffer.from([1, 2, 3]), bob: Buffer.from([4]) });
  expect(next.get("device-list", ["ada"])).toEqual({});
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("a change that a crash cut off leaves everything as it was before it", () => {
  const keys = new KeyStore(path);
  keys.set({ session: { ada: Buffer.from([1]) } });
  keys.close();
  appendFileSync(path, '{"session":{"ada":{"type":"Buf');
  const next = new KeyStore(path);
  expect(next.get("session", ["ada"])).toEqual({ ada: Buffer.from([1]) });
  next.set({ session: { ada: Buffer.from([2]) } });
  next.close();
  expect(new KeyStore(path).get("session", ["ada"])).toEqual({ ada: Buffer.from([2]) });
});

it("changing a returned value changes nothing that is kept", () => {
  const keys = new KeyStore(path);
  keys.set({ session: { ada: Buffer.from([1]) } });
  const { ada } = keys.get("session", ["ada"]);
  ada?.fill(9);
  expect(keys.get("session", ["ada"])).toEqual({ ada: Buffer.from([1]) });
});

it("the file does not grow without end", () => {
  const keys = new KeyStore(path);
  for (let round = 0; round < 2_100; round++) keys.set({ "device-list": { ada: [String(round)] } });
  expect(readFileSync(path, "utf8").split("\n").length).toBeLessThan(1_000);
  expect(keys.get("device-list", ["ada"])).toEqual({ ada: ["2099"] });
  keys.close();
});
