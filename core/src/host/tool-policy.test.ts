import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Logger, silentLogger } from "../base/logger.ts";
import { defaultConfig, loadConfig } from "../config/load-config.ts";
import { trustFolder } from "../config/trusted-folders.ts";
import type { Session } from "../model/session.ts";
import { workspaceTools } from "../tools/index.ts";
import { ConfigToolPolicy } from "./tool-policy.ts";

let root: string;
let warnings: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hermes-policy-"));
  warnings = [];
  mkdirSync(join(root, "home"), { mode: 0o700 });
  mkdirSync(join(root, "work"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The policy of a process whose config is another one, and what it says of a session of the folder `work`. */
function policyOfGateway() {
  const home = join(root, "home");
  const logger = { warn: (_: unknown, text: string) => warnings.push(text) } as unknown as Logger;
  const policy = new ConfigToolPolicy({
    ...{ home, logger, config: defaultConfig(home), environment: { HERMES_HOME: home } },
    tools: async () => workspaceTools({ home }),
    // Nothing here asks who may do what.
    store: {} as never,
    redact: (text) => text,
  });
  const session = { origin: "terminal", workingDirectory: join(root, "work") } as Session;
  return async () => (await policy.rulesOf(session)).map(({ kind, rule }) => `${kind} ${rule}`);
}

function writeRules(rule: string): void {
  const config = { permissions: { allow: ["shell(ls)"], deny: [rule] } };
  writeFileSync(join(root, "work", "hermes.config.json"), JSON.stringify(config));
}

const trust = () => trustFolder(join(root, "home"), join(root, "work"));

it("the rules of a folder hold on when its config changes, until it is trusted anew", async () => {
  writeRules("read(secret/**)");
  trust();
  const rules = policyOfGateway();
  expect(await rules()).toEqual(["deny read(secret/**)", "allow shell(ls)"]);
  writeRules("read(more/**)");
  expect(await rules()).toEqual(["deny read(secret/**)", "allow shell(ls)"]);
  await rules();
  expect(warnings).toHaveLength(1);
  trust();
  expect(await rules()).toEqual(["deny read(more/**)", "allow shell(ls)"]);
});

it("a process follows what is written into its config without a restart", async () => {
  const home = join(root, "home");
  const file = join(root, "work", "hermes.config.json");
  writeRules("read(secret/**)");
  const request = { configPath: file, environment: { HERMES_HOME: home }, workingDirectory: root, home };
  const policy = new ConfigToolPolicy({
    ...{ ...request, config: await loadConfig(request), logger: silentLogger, store: {} as never },
    redact: (text) => text,
    tools: async () => workspaceTools({ home }),
  });
  const session = { origin: "terminal", workingDirectory: join(root, "work") } as Session;
  const rules = async () => (await policy.rulesOf(session)).map(({ kind, rule }) => `${kind} ${rule}`);
  expect(await rules()).toEqual(["deny read(secret/**)", "allow shell(ls)"]);
  writeRules("shell(rm *)");
  utimesSync(file, new Date(), new Date(Date.now() + 5_000));
  expect(await rules()).toEqual(["deny shell(rm *)", "allow shell(ls)"]);
});

it("everything is asked where the rules of a folder were never read", async () => {
  writeRules("read(secret/**)");
  trust();
  writeRules("read(more/**)");
  const rules = await policyOfGateway()();
  expect(rules).toContain("ask read");
  expect(rules.every((rule) => rule.startsWith("ask "))).toBe(true);
});
