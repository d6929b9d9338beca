import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hermes-fault-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Imports a file as Node does, in a process of its own: a test's worker imports in another way. */
async function faultOf(text: string): Promise<unknown> {
  const file = join(folder, "hermes.config.mjs");
  const script = join(folder, "script.mjs");
  const module = new URL("./place-of-fault.ts", import.meta.url).href;
  writeFileSync(file, text);
  writeFileSync(
    script,
    `import { placeOfFault } from ${JSON.stringify(module)};
     await import(${JSON.stringify(file)}).catch((error) => console.log(JSON.stringify(placeOfFault(error, ${JSON.stringify(file)}))));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  return JSON.parse(stdout.replaceAll(folder, "…"));
}

test("reports a fault while the config runs with its position", async () => {
  expect(await faultOf("const x = null;\n\nx.y;")).toEqual({
    file: "…/hermes.config.mjs:3:3",
    reason: "Cannot read properties of null (reading 'y')",
  });
});

test("reports a fault in an imported file with both files", async () => {
  writeFileSync(join(folder, "other.mjs"), "\nthrow new Error('boom');");
  expect(await faultOf("import './other.mjs';")).toEqual({
    file: "…/hermes.config.mjs",
    reason: "boom (at …/other.mjs:2:7)",
  });
});

test("a package that is not there is named", async () => {
  expect(await faultOf("import 'no-such-package';")).toEqual({
    file: "…/hermes.config.mjs",
    reason: "it imports no-such-package, which is not installed there",
  });
});
