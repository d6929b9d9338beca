import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { HermesMachine } from "./support/hermes-process.ts";

const SECRET = "plainly-secret-value-4711";
const PROVIDERS = '{ mine: { baseUrl: "http://127.0.0.1:9/v1", apiKey: KEY } }';
const ESM = `export default { plugins: [], providers: ${PROVIDERS} };`;

const HERE = `const KEY = "${SECRET}";`;
const NEXT_DOOR = `export const KEY = "${SECRET}";`;

/** Every file below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return lstatSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}

/** Writes files, and lets a command read the first of them as its config. */
async function readAsConfig(files: Readonly<Record<string, string>>, linkedAs?: string): Promise<string> {
  await using machine = new HermesMachine();
  rmSync(machine.configPath);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(machine.folder, name)), { recursive: true });
    writeFileSync(join(machine.folder, name), text);
  }
  const [config = ""] = Object.keys(files);
  if (linkedAs !== undefined) symlinkSync(join(machine.folder, config), join(machine.folder, linkedAs));
  machine.environment.HERMES_CONFIG = join(machine.folder, linkedAs ?? config);
  const { code, stderr } = await machine.run("sessions");
  return `${code} ${stderr}`;
}

it("a config may import JSON, TypeScript as `.js`, and files beside a link's target", async () => {
  const json = { "own.json": '{ "plugins": [] }' };
  const esm = `import own from "./own.json" with { type: "json" };\nexport default own;`;
  expect(await readAsConfig({ "hermes.config.ts": esm, ...json })).toBe("0 ");
  expect(await readAsConfig({ "hermes.config.mjs": esm, ...json })).toBe("0 ");
  expect(await readAsConfig({ "hermes.config.cjs": `module.exports = require("./own.json");`, ...json })).toBe("0 ");
  const typed = { "own.ts": "export const own: object = { plugins: [] };" };
  const byName = `import { own } from "./own.js";\nexport default own;`;
  expect(await readAsConfig({ "hermes.config.ts": byName, ...typed })).toBe("0 ");
  const beside = { "dotfiles/own.mjs": "export default { plugins: [] };" };
  const linked = { "dotfiles/hermes.config.mjs": `import own from "./own.mjs";\nexport default own;`, ...beside };
  expect(await readAsConfig(linked, "hermes.config.mjs")).toBe("0 ");
});

it.each([
  ["TypeScript", "hermes.config.ts", `${HERE}\n${ESM}`, {}],
  ["an ES module", "hermes.config.mjs", `${HERE}\n${ESM}`, {}],
  ["CommonJS", "hermes.config.cjs", `${HERE}\nmodule.exports = { plugins: [], providers: ${PROVIDERS} };`, {}],
  ["an ES module by its package", "hermes.config.js", `${HERE}\n${ESM}`, { "package.json": '{ "type": "module" }' }],
  [
    "TypeScript beside an ES module",
    "hermes.config.ts",
    `import { KEY } from "./key.mjs";\n${ESM}`,
    { "key.mjs": NEXT_DOOR },
  ],
  [
    "an ES module beside another",
    "hermes.config.mjs",
    `import { KEY } from "./key.mjs";\n${ESM}`,
    { "key.mjs": NEXT_DOOR },
  ],
  ["refused", "hermes.config.mjs", `${HERE}\n${ESM.replace("plugins: []", "plugins: 7")}`, {}],
] as const)("a secret in a config that is %s is in no file of the cache", async (_, name, text, beside) => {
  await using machine = new HermesMachine();
  rmSync(machine.configPath);
  writeFileSync(join(machine.folder, name), text);
  for (const [file, content] of Object.entries(beside)) writeFileSync(join(machine.folder, file), content);
  const isRefused = text.includes("plugins: 7");
  // Node knows a file by where it really lies.
  symlinkSync(machine.folder, join(machine.folder, "linked"));
  machine.environment.HERMES_CONFIG = join(machine.folder, "linked", name);
  // The first one makes the home.
  for (let start = 1; start <= 2; start++) {
    const { code, stderr } = await machine.run("sessions");
    expect([code, stderr.includes("plugins")]).toEqual(isRefused ? [1, true] : [0, false]);
  }
  const files = filesBelow(join(machine.home, "cache"));
  // What Node keeps of Hermes itself is there.
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => readFileSync(file).includes(SECRET))).toEqual([]);
  expect(files.filter((file) => readFileSync(file).includes(Buffer.from(SECRET, "utf16le")))).toEqual([]);
});
