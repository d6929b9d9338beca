import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { AdapterReport } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HERMES_BIN } from "./support/hermes-process.ts";

const root = resolve(import.meta.dirname, "..");

const PACKAGES = {
  "@hermes/core": "core",
  "@hermes/emulator": "packages/emulator",
  "@hermes/testing": "packages/testing",
  "@hermes/plugin-telegram": "plugins/telegram",
};

/** The subject of an author whose adapter does with each message what `spoil` says. */
const subjectWith = (spoil: string) => `
import { telegram } from "@hermes/plugin-telegram";
import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";

export const subject = {
  name: "telegram",
  createEmulator: () => startTelegramEmulator(),
  descriptor(emulator, { allowedUsers = [], ...options }) {
    const descriptor = telegram({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] });
    const create = async (deps) => {
      const adapter = await descriptor.create(deps);
      ${spoil}
      return adapter;
    };
    return { ...descriptor, create };
  },
  homes: () => [{ name: "private chat", home: { chatId: CHATS.private }, kind: "dm", threads: true }],
  notClaimed: { "once/edited": "Nobody edits there." },
};
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-prove-"));
  const hermes = { apiVersion: 2, kind: "platform", platform: "telegram", conformance: "./test/subject.js" };
  write("package.json", JSON.stringify({ name: "hermes-plugin-pager", version: "0.2.0", type: "module", hermes }));
  write("test/subject.js", subjectWith(""));
  for (const name of Object.keys(PACKAGES)) install(name as keyof typeof PACKAGES);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function install(name: keyof typeof PACKAGES): void {
  mkdirSync(join(folder, "node_modules/@hermes"), { recursive: true });
  symlinkSync(join(root, PACKAGES[name]), join(folder, "node_modules", name));
}

async function prove(...args: string[]): Promise<{ readonly code: number; readonly text: string }> {
  const env = { PATH: process.env.PATH, HOME: folder, HERMES_HOME: join(folder, "home"), NO_COLOR: "1" };
  const { promise, resolve } = Promise.withResolvers<{ readonly code: number; readonly text: string }>();
  execFile(process.execPath, [HERMES_BIN, "prove", ...args], { cwd: folder, env }, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
  });
  return promise;
}

describe("hermes prove", () => {
  it("shows each proof, why one is not claimed, and what its author would write", async () => {
    mkdirSync(join(folder, "dist"));
    const { code, text } = await prove("./dist", "--only", "keys/home", "once/edited", "setup/right");
    expect(text).toMatch(/One address, one key\n {2}✓ keys\/home {2}each home channel/);
    expect(text).toContain("– once/edited: Nobody edits there.");
    expect(text).toContain("To claim it: Take `once/edited` out of `notClaimed` in the conformance subject.");
    expect(text).toMatch(/– setup\/right: .*\n.*name it in the manifest \(`"setup": ".\/setup"`\)/);
    expect(text).toContain("1 of 1 proofs passed; 2 not claimed.");
    expect(code).toBe(0);
  });

  it("a broken rule is named with its place, what came before, and where it is written", async () => {
    write(
      "test/subject.js",
      subjectWith(`const { start } = adapter;
      adapter.start = (events, signal) => {
        const receive = (message) => events.receive({ ...message, text: message.text.replaceAll("[", "(") });
        return start.call(adapter, { ...events, receive }, signal);
      };`),
    );
    const { code, text } = await prove("--only", "living/text");
    expect(text).toContain("✗ living/text: a person's message reaches the model unchanged");
    expect(text).toMatch(/in the home channel "private chat" \(dm, chat "\d+"\)/);
    expect(text).toMatch(/after this:\n.*a person wrote ".*\[.*" in chat "\d+": message "\d+"/);
    expect(text).toMatch(/the adapter reported message "\d+" of chat "\d+": "[^[]*\(/);
    expect(text).toContain(
      "Rule: Guarantee: what a person sends is read; see @hermes/testing/docs/adapter-kit.md#living-text",
    );
    expect(text).toContain("0 of 1 proofs passed");
    expect(code).toBe(1);
  });

  it("blames the proof that ran for an error that nothing awaits", async () => {
    write("test/subject.js", subjectWith(`void Promise.reject(new Error("the pager is on fire"));`));
    const { code, text } = await prove("--only", "keys/home");
    expect(text).toContain("an error was thrown that nothing awaits: the pager is on fire");
    expect(code).toBe(1);
  });

  it("prints the report as one document of JSON", async () => {
    const { code, text } = await prove("--json", "--only", "keys/home", "once/edited");
    const report = JSON.parse(text) as AdapterReport;
    expect(report).toMatchObject({
      reportVersion: 1,
      package: { name: "hermes-plugin-pager", version: "0.2.0" },
      kit: { testing: expect.stringMatching(/^\d/), core: expect.stringMatching(/^\d/), node: process.version },
      only: ["keys/home", "once/edited"],
      ...{ passed: 1, failed: 0, notClaimed: 1 },
      findings: [
        {
          id: "keys/home",
          result: "passed",
          platform: "telegram",
          docs: "@hermes/testing/docs/adapter-kit.md#keys-home",
        },
        { id: "once/edited", result: "not claimed", detail: "Nobody edits there." },
      ],
    });
    expect(code).toBe(0);
  });

  it("proves a subject in TypeScript, by its own file", async () => {
    write("test/own.ts", subjectWith("").replace("subject =", "subject: object ="));
    const { code, text } = await prove("test/own.ts", "--only", "keys/home");
    expect(text).toContain("1 of 1 proofs passed");
    expect(code).toBe(0);
  });

  it("a folder of what is compiled is proved with the subject compiled into it", async () => {
    write("dist/test/subject.js", subjectWith("").replace("Nobody edits there.", "This one is compiled."));
    const { code, text } = await prove("./dist", "--only", "keys/home", "once/edited");
    expect(text).toContain("– once/edited: This one is compiled.");
    expect(code).toBe(0);
    expect((await prove("--only", "once/edited")).text).toContain("Nobody edits there.");
  });

  it("an installed package is proved by its name, with the kit of the project alone", async () => {
    // As pnpm lays it: elsewhere, with what it depends on and nothing else.
    const store = "store/hermes-plugin-siren";
    const hermes = { apiVersion: 2, kind: "platform", platform: "siren", conformance: "./test/subject.ts" };
    const main = { exports: { ".": { types: "./dist/src/index.d.ts", default: "./dist/src/index.js" } } };
    const about = { name: "hermes-plugin-siren", version: "1.2.3", type: "module" };
    write(`${store}/package.json`, JSON.stringify({ ...about, ...main, hermes }));
    mkdirSync(join(folder, "store/node_modules/@hermes"), { recursive: true });
    const telegram = "node_modules/@hermes/plugin-telegram";
    symlinkSync(join(root, PACKAGES["@hermes/plugin-telegram"]), join(folder, "store", telegram));
    symlinkSync(join(folder, store), join(folder, "node_modules/hermes-plugin-siren"));
    renameSync(join(folder, "node_modules/@hermes/testing"), join(folder, "kit"));
    expect((await prove("hermes-plugin-siren")).text).toMatch(
      /hermes-plugin-siren names \.\/test\/subject\.ts as its conformance subject, and that is neither there nor compiled/,
    );
    write(`${store}/dist/test/subject.js`, subjectWith(""));
    const without = await prove("hermes-plugin-siren", "--only", "keys/home");
    expect(without.text).toContain("needs @hermes/testing for its proofs");
    renameSync(join(folder, "kit"), join(folder, "node_modules/@hermes/testing"));
    const { code, text } = await prove("hermes-plugin-siren", "--only", "keys/home", "--json");
    expect(JSON.parse(text)).toMatchObject({ package: { name: "hermes-plugin-siren", version: "1.2.3" }, passed: 1 });
    expect(code).toBe(0);
  });

  it("a command that can prove nothing says what is missing", async () => {
    expect(await prove("nowhere")).toMatchObject({
      code: 1,
      text: expect.stringContaining("nowhere is neither a file"),
    });
    expect(await prove("--only", "keys/hom")).toMatchObject({
      code: 2,
      text: expect.stringContaining("There is no proof keys/hom; did you mean keys/home?"),
    });
    expect(await prove("--only", "keys", "--badge", "badge.svg")).toMatchObject({ code: 2 });
    write("test/subject.js", "export const subject = {};");
    expect((await prove()).text).toContain("it exports no `subject`");
    write("package.json", JSON.stringify({ name: "hermes-plugin-dice", hermes: { apiVersion: 2, kind: "tools" } }));
    expect((await prove()).text).toContain("hermes-plugin-dice brings tools, and the kit proves adapters.");
    write("package.json", "{}");
    expect((await prove()).text).toContain('Add `"conformance": "./test/subject.js"` to `"hermes"`');
  });

  it("names the package of the kit where it is not installed", async () => {
    rmSync(join(folder, "node_modules/@hermes/testing"));
    const { code, text } = await prove();
    expect(text).toContain("The plugin hermes-plugin-pager needs @hermes/testing for its proofs");
    expect(text).toContain("npm install @hermes/testing");
    expect(code).toBe(1);
  });
});
