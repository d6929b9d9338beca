import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const run = promisify(execFile);

/** The packages that are packed as npm publishes them, by their folders. */
const PACKED = {
  "@hermes/core": "core",
  "@hermes/emulator": "packages/emulator",
  "@hermes/testing": "packages/testing",
  "@hermes/plugin-telegram": "plugins/telegram",
};

/** How long packing may take on a busy machine, in milliseconds. */
const PACKING_MS = 180_000;

/** As the author of an adapter writes it, who has nothing but the packages. */
const CONFORMANCE_TEST = `
import { describeAdapter } from "@hermes/testing";
import { telegram } from "@hermes/plugin-telegram";
import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";

describeAdapter({
  name: "telegram",
  createEmulator: () => startTelegramEmulator(),
  descriptor: (emulator, { allowedUsers = [], ...options }) =>
    telegram({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] }),
  homes: () => [{ name: "private chat", home: { chatId: CHATS.private }, kind: "dm", threads: true }],
});
`;

describe("the packages as npm packs them, in a project of somebody else", () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-packages-"));
  const environment = {
    ...{ PATH: process.env.PATH, HOME: folder, HERMES_HOME: join(folder, "home"), NO_COLOR: "1" },
    HERMES_CONFORMANCE: "json",
  };
  const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, env: environment });

  beforeAll(async () => {
    const modules = join(folder, "node_modules");
    mkdirSync(join(modules, "@hermes"), { recursive: true });
    // Beside them stands what they depend on; nothing of the workspace itself, or that only its builds need.
    const left = ["@hermes", ".vite", "tree-sitter-bash"];
    const others = readdirSync(join(root, "node_modules")).filter((name) => !left.includes(name));
    for (const name of others) symlinkSync(join(root, "node_modules", name), join(modules, name));
    const workspaces = Object.values(PACKED).map((workspace) => `./${workspace}`);
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder, ...workspaces], {
      cwd: root,
      env: { ...process.env, HERMES_IS_BUILT: "1" },
    });
    // npm has told of them in a list, and in an object by their names.
    const archives = Object.values(
      JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, { readonly filename: string }>,
    );
    for (const [at, [name, workspace]] of Object.entries(PACKED).entries()) {
      mkdirSync(join(modules, name));
      const archive = join(folder, archives[at]?.filename ?? "");
      await run("tar", ["-xzf", archive, "--strip-components=1", "-C", join(modules, name)]);
      const own = join(root, workspace, "node_modules");
      if (existsSync(own)) symlinkSync(own, join(modules, name, "node_modules"));
    }
    const dependencies = Object.fromEntries(Object.keys(PACKED).map((name) => [name, "*"]));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", dependencies }));
    writeFileSync(join(folder, "conformance.test.js"), CONFORMANCE_TEST);
  }, PACKING_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("the adapter kit runs, and its author imports nothing else for it", async () => {
    const vitest = join(folder, "node_modules/vitest/vitest.mjs");
    const { stdout } = await node(vitest, "run", "--root", folder, "-t", "keys/continues|errors/wrong-token");
    const findings = stdout.split("\n").filter((line) => line.startsWith('{"platform"'));
    expect(findings.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: "keys/continues", result: "passed" },
      { id: "errors/wrong-token", result: "passed" },
    ]);
  });

  it("the adapter kit runs in Node's own test runner where vitest is not installed", async () => {
    const vitest = join(folder, "node_modules/vitest");
    renameSync(vitest, `${vitest}-away`);
    const file = join(folder, "findings.jsonl");
    const options = { cwd: folder, env: { ...environment, HERMES_CONFORMANCE_FILE: file } };
    const only = ["--test-name-pattern", "keys/home|errors/wrong-token"];
    const tested = run(process.execPath, ["--test", ...only, "conformance.test.js"], options);
    await tested.finally(() => renameSync(`${vitest}-away`, vitest));
    const findings = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(findings.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: "keys/home", result: "passed" },
      { id: "errors/wrong-token", result: "passed" },
    ]);
  });

  it("hermes plugins lists what is installed before there is a config", async () => {
    const { stdout } = await node("node_modules/@hermes/core/bin/hermes.js", "plugins");
    expect(stdout).toContain("telegram  @hermes/plugin-telegram@");
    expect(stdout).toContain("installed, not configured");
    expect(stdout).toMatch(/To use what is not configured: `npx hermes plugins add .*@hermes\/plugin-telegram/);
  });

  it("judges a line of bash by the grammar that the package brings along", async () => {
    const script = `
      import { judgeCall } from "@hermes/core/embed";
      const rules = { allow: ["shell(npm test)"], ask: [], deny: ["shell(rm *)"] };
      const call = { tool: "shell", effect: "runs", subjects: ["npm test && rm -rf dist"] };
      const context = { rules, mode: "default", directory: "/project", home: "/h", shared: false, isOperator: true };
      console.log((await judgeCall(call, context)).decision);
    `;
    expect((await node("--input-type=module", "-e", script)).stdout).toBe("deny\n");
    const license = join(folder, "node_modules/@hermes/core/dist/bundle/tree-sitter-bash.LICENSE");
    expect(readFileSync(license, "utf8")).toContain("Permission is hereby granted");
  });

  it("core asks for no package that its bundle holds, and has its license beside it", () => {
    const core = join(folder, "node_modules/@hermes/core");
    const { dependencies } = JSON.parse(readFileSync(join(core, "package.json"), "utf8"));
    const licenses = readFileSync(join(core, "dist/bundle/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["commander", "markdown-it", "entities", "linkify-it", "mdurl", "punycode.js", "uc.micro"]) {
      expect(dependencies).not.toHaveProperty([name]);
      expect(licenses).toMatch(new RegExp(`^${name} \\d`, "m"));
    }
    expect(licenses).toMatch(/^tsyringe \d/m);
  });

  it("brings along nothing that only tests and builds need", () => {
    const files = readdirSync(join(folder, "node_modules/@hermes/core/dist"), { recursive: true }).map(String);
    expect(files.filter((file) => /(^|\/)test-[^/]*$|\.map$/.test(file))).toEqual([]);
  });

  it("refuses a plugin of another API version or an unknown kind, and says why", async () => {
    const file = join(folder, "node_modules/@hermes/plugin-telegram/package.json");
    const packed = readFileSync(file, "utf8");
    const check = async (hermes: object) => {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(packed), hermes }));
      const shown = await node("node_modules/@hermes/core/bin/hermes.js", "plugins");
      return shown.stdout;
    };
    try {
      const older = await check({ apiVersion: 1, platform: "telegram" });
      expect(older).toContain("was made for plugin API 1; this Hermes has 2.");
      expect(older).toContain("docs/migrating.md");
      const newer = await check({ apiVersion: 3, kind: "platform", platform: "telegram" });
      expect(newer).toContain("needs plugin API 3; this Hermes has 2.");
      expect(await check({ apiVersion: 2, kind: "store" })).toContain("is a plugin of the kind “store”");
    } finally {
      writeFileSync(file, packed);
    }
  });

  it("names the package that emulators need where it is not installed", async () => {
    const emulator = join(folder, "node_modules/@hermes/emulator");
    renameSync(emulator, `${emulator}-away`);
    const emulated = node("node_modules/@hermes/core/bin/hermes.js", "emulate", "telegram");
    await expect(emulated.finally(() => renameSync(`${emulator}-away`, emulator))).rejects.toMatchObject({
      stderr: expect.stringContaining("npm install @hermes/emulator"),
    });
  });

  it("names the next step where a platform is not in the config", async () => {
    const hermes = ["node_modules/@hermes/core/bin/hermes.js"];
    await node(...hermes, "chat", "-q", "Plan a trip");
    await expect(node(...hermes, "handoff", "telegram", "--session", "1")).rejects.toMatchObject({
      stderr: expect.stringContaining("`npx hermes plugins` lists what is installed"),
    });
  });
});
