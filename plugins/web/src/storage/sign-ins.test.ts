import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openWebFile, type WebFile } from "./web-file.ts";

const DAY_MS = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 0, 1);

let folder: string;
let file: WebFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-web-"));
  file = openWebFile(folder, { now: NOW });
});
afterEach(() => {
  file[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

it("a browser stays signed in for 30 days after its last visit", () => {
  const cookie = file.signIns.redeem(file.signIns.mintCode(NOW), NOW) ?? "";
  expect(file.signIns.check(cookie, NOW + DAY_MS / 2)).toBe("good");
  expect(file.signIns.check(cookie, NOW + 29 * DAY_MS)).toBe("renewed");
  expect(file.signIns.check(cookie, NOW + 58 * DAY_MS)).toBe("renewed");
  expect(file.signIns.check(cookie, NOW + 88 * DAY_MS)).toBe("unknown");
});

it("a code that nobody used is gone with the next one", () => {
  const code = file.signIns.mintCode(NOW);
  file.signIns.mintCode(NOW + DAY_MS);
  expect(file.signIns.redeem(code, NOW)).toBeNull();
});
