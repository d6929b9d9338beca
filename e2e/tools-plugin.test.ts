import { lstatSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ModelServer } from "@hermes/testing";
import { expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { machineWith, startModel } from "./support/model.ts";

const root = resolve(import.meta.dirname, "..");

/** A plugin of tools as its author publishes it: in a folder of its own, with a set-up. */
const DICE = `
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, defineTools } from "@hermes/core";
import { z } from "zod";

const tool = (name, run, more = {}) =>
  defineTool({ name, description: name, input: z.object({}), effect: "network", summary: () => name, run, ...more });

export const dice = defineTools({
  package: "hermes-plugin-dice",
  apiVersion: 2,
  schema: z.object({ sides: z.int().min(2).default(6) }),
  create: async ({ options: { sides }, folder }) => [
    tool("roll", async () => {
      console.log("rolling in the document");
      console.error("and beside it");
      appendFileSync(join(folder, "rolls"), "x");
      return "of " + sides + " sides: 2";
    }),
    tool("throws", async () => {
      setTimeout(() => { throw new Error("later"); }, 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw new Error("the table is gone");
    }),
    tool("hangs", () => new Promise(() => {}), { limitMs: 200 }),
    tool("exits", async () => process.exit(3)),
  ],
});
`;

const SETUP = `
import { existsSync } from "node:fs";
export const setup = {
  title: "Dice",
  summary: "chance",
  ways: [],
  examine: async ({ sides }, { folder }) => ({
    account: null,
    findings: [{ state: "ok", message: "There are " + sides + " sides, and " + (existsSync(folder) ? "a" : "no") + " folder." }],
  }),
};
`;

/** Puts packages of plugins into a machine's project, beside those of the workspace. */
function lay(machine: HermesMachine, name: string, main: string, setup: string | null): void {
  const modules = join(machine.folder, "node_modules");
  if (lstatSync(modules).isSymbolicLink()) {
    unlinkSync(modules);
    mkdirSync(modules);
    for (const shared of ["@hermes", "zod"]) symlinkSync(join(root, "node_modules", shared), join(modules, shared));
  }
  const folder = join(modules, name);
  mkdirSync(folder);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({
      ...{ name, version: "0.3.0", type: "module", keywords: ["hermes-plugin"] },
      exports: { ".": "./index.js", ...(setup === null ? {} : { "./setup": "./setup.js" }) },
      hermes: { kind: "tools", apiVersion: 2, ...(setup === null ? {} : { setup: "./setup" }) },
    }),
  );
  writeFileSync(join(folder, "index.js"), main);
  if (setup !== null) writeFileSync(join(folder, "setup.js"), setup);
}

function withDice(model: ModelServer, options: object = {}, more: readonly unknown[] = []): HermesMachine {
  const permissions = { allow: ["roll", "throws", "hangs", "exits"] };
  const plugins = [["hermes-plugin-dice", options], ...more];
  const machine = machineWith(model, { plugins, permissions });
  lay(machine, "hermes-plugin-dice", DICE, SETUP);
  return machine;
}

/** The results of the tools that the model has read. */
function resultsRead(model: ModelServer): string[] {
  return (model.requests.at(-1)?.messages ?? [])
    .filter(({ role }) => role === "tool")
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

it("a plugin of tools is listed, examined, checked and used by its package alone", async () => {
  await using model = await startModel();
  await using machine = withDice(model, { sides: 20 });
  const listed = JSON.parse((await machine.run("plugins", "--json")).stdout);
  expect(listed.plugins).toContainEqual(
    expect.objectContaining({
      ...{ package: "hermes-plugin-dice", version: "0.3.0", kind: "tools", platform: null },
      ...{ isInstalled: true, isConfigured: true, problem: null },
    }),
  );
  expect((await machine.run("plugins")).stdout).toContain(
    "hermes-plugin-dice  hermes-plugin-dice@0.3.0\n  tools for the agent\n",
  );
  const { findings } = JSON.parse((await machine.run("doctor", "--json")).stdout);
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        ...{ check: "plugin hermes-plugin-dice", state: "ok" },
        message: "It brings 4 tools: roll, throws, hangs, exits.",
      }),
      expect.objectContaining({ state: "ok", message: "There are 20 sides, and a folder." }),
    ]),
  );
  model.push({ call: [{ name: "roll", input: {} }] }, "A two.");
  const { code, stdout, stderr } = await machine.run("chat", "-q", "Roll.", "--json");
  // What the tool prints stands in the log, and not within the document.
  expect({ code, stderr, text: JSON.parse(stdout).text }).toEqual({ code: 0, stderr: "", text: "A two." });
  expect(resultsRead(model)).toEqual(["of 20 sides: 2"]);
  const { stdout: log } = await machine.run("logs", "--json");
  expect(log).toContain("rolling in the document");
  expect(readFileSync(join(machine.home, "plugins/tools@hermes-plugin-dice/rolls"), "utf8")).toBe("x");
});

it("an option that a plugin of tools refuses is named with its key", async () => {
  await using model = await startModel();
  await using machine = withDice(model, { sides: 1 });
  const { code, stdout, stderr } = await machine.run("config", "check");
  expect(code).toBe(1);
  expect(stdout + stderr).toContain("plugins[0].sides");
});

it("tools that throw, hang or end the process are errors the model reads", async () => {
  await using model = await startModel();
  await using machine = withDice(model);
  for (const [name, error] of [
    ["throws", "Error: the table is gone"],
    ["hangs", "Error: hangs was not done after 0.2 s"],
    ["exits", "Error: it called process.exit(3)"],
  ] as const) {
    model.push({ call: [{ name, input: {} }] }, `That was ${name}.`);
    const { code, stdout, stderr } = await machine.run("chat", "-q", "Go.", "--json");
    expect({ code, stderr, text: JSON.parse(stdout).text }).toEqual({ code: 0, stderr: "", text: `That was ${name}.` });
    expect(resultsRead(model)).toEqual([error]);
  }
  expect((await machine.run("logs", "--json")).stdout).toContain("a plugin of tools failed");
});

it("plugins of tools that cannot be used stop nothing else, and are named", async () => {
  await using model = await startModel();
  await using machine = withDice(model, {}, ["hermes-plugin-broken", "hermes-plugin-shapeless"]);
  lay(machine, "hermes-plugin-broken", 'throw new Error("no table here");', null);
  const shapeless = 'create: async () => [{ name: "odd", description: "?", effect: "reads", summary() {}, run() {} }]';
  const head = 'import { defineTools } from "@hermes/core"; import { z } from "zod";';
  const main = `package: "hermes-plugin-shapeless", apiVersion: 2, schema: z.object({}), ${shapeless}`;
  lay(machine, "hermes-plugin-shapeless", `${head} export const odd = defineTools({ ${main} });`, null);
  model.push({ call: [{ name: "roll", input: {} }] }, "A two.");
  const { code, stdout, stderr } = await machine.run("chat", "-q", "Roll.");
  expect(code).toBe(0);
  expect(stdout).toContain("A two.");
  expect(resultsRead(model)).toEqual(["of 6 sides: 2"]);
  expect(stderr).toContain("no table here");
  const listed = JSON.parse((await machine.run("plugins", "--json")).stdout);
  expect(listed.plugins).toContainEqual(
    expect.objectContaining({
      ...{ package: "hermes-plugin-broken", kind: "tools" },
      problem: expect.objectContaining({ message: expect.stringContaining("no table here") }),
    }),
  );
  const { findings } = JSON.parse((await machine.run("doctor", "--json")).stdout);
  expect(findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ state: "problem", message: expect.stringContaining("no table here") }),
      expect.objectContaining({
        ...{ check: "plugin hermes-plugin-shapeless", state: "problem" },
        message: expect.stringContaining("the input of its tool odd"),
      }),
    ]),
  );
});
