import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, notingLogger } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigWatch } from "./config-watch.ts";

const clock = createVirtualClock();
let folder: string;
let logged: string[];
let told: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-watch-"));
  logged = [];
  told = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const watch = (name: string) => new ConfigWatch(join(folder, name), clock, notingLogger(logged), () => void told++);

test("the watch logs once that the config or an import changed, and its return", async () => {
  write("hermes.config.ts", `import "./a.ts";`);
  write("a.ts", "1;");
  using watched = watch("hermes.config.ts");
  await clock.advance(60_000);
  expect([watched.hasChanged, logged]).toEqual([false, []]);
  write("a.ts", "2;");
  await clock.advance(180_000);
  expect([watched.hasChanged, told]).toEqual([true, 1]);
  expect(logged).toEqual([expect.stringContaining("goes on with what it runs")]);
  write("a.ts", "1;");
  await clock.advance(60_000);
  expect([watched.hasChanged, told]).toEqual([false, 2]);
});

test("a new version of a package.json that holds the config is no change of it", async () => {
  write("package.json", `{ "version": "1.0.0", "hermes": { "model": "a/b" } }`);
  using watched = watch("package.json");
  write("package.json", `{ "version": "2.0.0", "hermes": { "model": "a/b" } }`);
  await clock.advance(60_000);
  expect(watched.hasChanged).toBe(false);
  write("package.json", `{ "version": "2.0.0", "hermes": { "model": "c/d" } }`);
  await clock.advance(60_000);
  expect(watched.hasChanged).toBe(true);
});
