import type { Manager } from "./project.ts";
import { type Case, expectIn, packageJson } from "./using.ts";

/** What an author of an adapter has, apart from a test runner. */
const KIT = ["@hermes/core", "@hermes/testing", "@hermes/emulator", "@hermes/plugin-telegram"];

/** An adapter as its author describes it; its sources are those of a plugin that is there already. */
const SUBJECT = `import { telegram } from "@hermes/plugin-telegram";
import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { setup } from "@hermes/plugin-telegram/setup";

export const subject = {
  name: "telegram",
  createEmulator: () => startTelegramEmulator(),
  descriptor: (emulator, { allowedUsers = [], ...options }) =>
    telegram({ ...emulator.options, ...options, allowedUsers: [...allowedUsers] }),
  homes: () => [{ name: "private chat", home: { chatId: CHATS.private }, kind: "dm", threads: true }],
  stranger: "2002",
  setup: { setup },
};
`;

const CONFORMANCE = `import { describeAdapter } from "@hermes/testing";
import { subject } from "./subject.mjs";

process.env.HERMES_CONFORMANCE = "json";
process.env.HERMES_CONFORMANCE_FILE = "findings.jsonl";
describeAdapter(subject);
`;

/** One proof of each kind of work: a conversation, a wrong token, the work that a text makes, a set-up. */
const PROOFS = ["keys/home", "errors/wrong-token", "length/hostile", "setup/right"];

type Runner = "vitest" | "node:test";

/** The arguments for `run` of a package manager that start a runner with some proofs. */
const COMMANDS: Readonly<Record<Runner, readonly string[]>> = {
  vitest: ["vitest", "run", "-t", PROOFS.join("|")],
  "node:test": ["node", "--test", "--test-name-pattern", PROOFS.join("|"), "conformance.test.mjs"],
};

/** The kit in a test runner, and as a command. */
function kit(manager: Manager, runner: Runner): Case {
  return {
    name: `${manager}, the adapter kit in ${runner}`,
    async run(project) {
      project.write({
        "package.json": packageJson({ type: "module", hermes: { conformance: "./subject.mjs" } }),
        "subject.mjs": SUBJECT,
        "conformance.test.mjs": CONFORMANCE,
      });
      await project.manager(manager, manager === "npm" ? "install" : "add", ...KIT, ...packagesOf(runner));
      const exec = { npm: ["exec", "--"], pnpm: ["exec"], yarn: ["exec"] }[manager];
      await project.manager(manager, ...exec, ...COMMANDS[runner]);
      const findings = project.read("findings.jsonl");
      for (const id of PROOFS) expectIn(findings, new RegExp(`"id":"${id}".*"result":"passed"`));
      const proved = await project.manager(manager, ...exec, "hermes", "prove", "--only", ...PROOFS);
      expectIn(proved, `${PROOFS.length} of ${PROOFS.length} proofs passed`);
    },
  };
}

/** Under Plug'n'Play, vitest needs what its own worker imports among the dependencies of the project. */
function packagesOf(runner: Runner): string[] {
  return runner === "vitest" ? ["vitest@5", "vite@7"] : [];
}

/** Without vitest, and with `hermes prove`. */
export const KIT_IN_NODE: Case = kit("npm", "node:test");

export const KIT_CASES: readonly Case[] = [
  kit("npm", "vitest"),
  kit("pnpm", "vitest"),
  kit("pnpm", "node:test"),
  kit("yarn", "node:test"),
  kit("yarn", "vitest"),
];
