import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createHermes } from "@hermes/core/embed";
import type { AdapterReport } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type * as Acme from "./fixtures/hermes-plugin-acme/dist/emulator/index.js";
import { HERMES_BIN } from "./support/hermes-process.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");

/** The plugin as it was built for the first core of its API; how, is told beside it. It is never changed. */
const BUILT = join(import.meta.dirname, "fixtures/hermes-plugin-acme");

/** How many proofs there are for what it claims; a newer kit may have more of them. */
const CLAIMED = 69;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-stability-"));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of ["@hermes", "zod", "mdast-util-to-string"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  cpSync(BUILT, join(modules, "hermes-plugin-acme"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("a plugin that was built for apiVersion 2 runs unchanged, and takes a handoff", async () => {
  const emulator = pathToFileURL(join(folder, "node_modules/hermes-plugin-acme/dist/emulator/index.js")).href;
  const { CHATS, startEmulator }: typeof Acme = await import(emulator);
  await using acme = await startEmulator();
  const said = (threadId?: string) =>
    acme
      .messages(CHATS.team, threadId)
      .filter(({ author }) => author === "bot")
      .map(({ text }) => text);
  const options = { ...acme.options, homeChannel: { chatId: CHATS.team, shared: true }, allowedUsers: ["*"] };
  await using hermes = await createHermes({
    config: { plugins: [["hermes-plugin-acme", options]], log: { level: "error" } },
    ...{ home: join(folder, "home"), folder, environment: { HOME: folder } },
  });
  expect(hermes.host.config.brokenPlugins).toEqual([]);
  expect(await hermes.start()).toMatchObject([{ platform: "acme", health: { state: "up" } }]);

  await acme.receive({ chatId: CHATS.team, text: "Hello", mentions: true });
  await expect.poll(() => said().length).toBe(1);
  const { sessionId } = await hermes.say("What is the plan?");
  expect(await hermes.handOff(sessionId, "acme")).toMatchObject({ state: "completed", error: null });
  const [opened] = acme.threads(CHATS.team).filter(({ id }) => id !== "t-plans");
  expect(said(opened?.id).join("\n")).toContain("What is the plan?");
});

it("a plugin that was built for apiVersion 2 passes the newest kit", { timeout: 600_000 }, async () => {
  // Node reads the types of a subject only outside of node_modules.
  const copy = join(folder, "hermes-plugin-acme");
  cpSync(BUILT, copy, { recursive: true });
  const { stdout } = await run(process.execPath, [HERMES_BIN, "prove", copy, "--json"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, HERMES_HOME: join(folder, "home"), NO_COLOR: "1" },
    maxBuffer: 2 ** 26,
  });
  const { passed, findings } = JSON.parse(stdout) as AdapterReport;
  expect(findings.filter(({ result }) => result === "failed")).toEqual([]);
  expect(passed).toBeGreaterThanOrEqual(CLAIMED);
});
