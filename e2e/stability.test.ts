import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createHermes } from "@hermes/core/embed";
import { afterEach, beforeEach, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
let folder: string;
let inbox: string;
let outbox: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-stability-"));
  [inbox, outbox] = [join(folder, "inbox"), join(folder, "outbox")];
  writeFileSync(inbox, "");
  writeFileSync(outbox, "[]");
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of ["@hermes", "zod", "mdast-util-to-string"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  cpSync(join(import.meta.dirname, "fixtures/hermes-plugin-bell"), join(modules, "hermes-plugin-bell"), {
    recursive: true,
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sent = () => JSON.parse(readFileSync(outbox, "utf8")) as { chat: string; thread?: string; text: string }[];

it("a plugin that was built for apiVersion 2 runs unchanged, and takes a handoff", async () => {
  await using hermes = await createHermes({
    config: {
      plugins: [["hermes-plugin-bell", { homeChannel: "home", operators: ["ada"], inbox, outbox }]],
      log: { level: "error" },
    },
    ...{ home: join(folder, "home"), folder, environment: { HOME: folder } },
  });
  expect(hermes.host.config.brokenPlugins).toEqual([]);
  expect(await hermes.start()).toMatchObject([{ platform: "bell", health: { state: "up" } }]);

  appendFileSync(inbox, `${JSON.stringify({ chat: "home", from: "ada", text: "Hello" })}\n`);
  await expect.poll(() => sent().filter(({ chat, thread }) => chat === "home" && thread === undefined)).not.toEqual([]);
  const { sessionId } = await hermes.say("What is the plan?");
  expect(await hermes.handOff(sessionId, "bell")).toMatchObject({ state: "completed", error: null });
  expect(sent().some(({ thread }) => thread !== undefined)).toBe(true);
});
