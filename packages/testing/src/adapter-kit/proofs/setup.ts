import { isDeepStrictEqual } from "node:util";
import {
  type Examination,
  type Finding,
  PlatformError,
  type PluginSetup,
  type PluginSetupContext,
  type SetupQuestion,
  type StandardSchema,
} from "@hermes/core";
import { isSecretName, pluginFolderPath, secretsIn } from "@hermes/core/internal";
import { setupContext } from "../../setup-context.ts";
import { check, checkEqual, Disproved, shown } from "../check.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";
import type { KitSetup } from "../subject.ts";
import { wrongOptions } from "../wrong-options.ts";

/** The maximum number of a question's steps, and of characters in a step. */
const MOST_STEPS = 5;
const LONGEST_STEP = 160;

/** Milliseconds within which a check must end once its time is up. */
const ENDS_WITHIN_MS = 2_000;

/** Milliseconds that a check has run when its time is up. */
const UNDER_WAY_MS = 100;

export const setupProofs = proofsOfRule("A set-up asks for options, and changes nothing when it checks them", [
  {
    id: "setup/questions",
    proof: "each question is short, is for an option of the schema, and is secret if it has a variable",
    async play(on) {
      const { setup } = setupOf(on);
      const { schema, options } = on.subject.descriptor(on.emulator, {});
      check(setup.ways.length > 0, "it has no way to use the platform");
      checkEqual(
        new Set(setup.ways.map(({ name }) => name)).size,
        setup.ways.length,
        "how many ways have a name of their own",
      );
      for (const way of setup.ways) {
        for (const question of way.questions) {
          const { option } = question;
          const isKnown = await isOption(schema, { ...(options as object), ...way.options }, option);
          check(isKnown, () => `the schema has no option ${option}, which ${way.name} asks for`);
          checkQuestion(question);
        }
      }
    },
  },
  {
    id: "setup/right",
    proof: "correct options have no problem in any home channel, and checking them changes nothing on the platform",
    homes: {},
    async play(on) {
      const { state } = setupOf(on);
      const seen = () => structuredClone([stateOf(on.emulator), state?.(on.emulator)]);
      const before = seen();
      const { account, findings } = await look(on, optionsAt(on));
      checkEqual(problems(findings), [], "the problems of right options");
      check(account !== null, "it does not tell the account of right options");
      for (const { state: kind, message, hint } of findings) {
        check(kind === "ok" || (hint ?? "").length > 10, () => `it does not say what to do about ${shown(message)}`);
      }
      checkEqual(seen(), before, "what is on the platform after the check");
    },
  },
  {
    id: "setup/wrong-credential",
    proof: "rejected credentials are reported with the next step, and are not printed",
    async play(on) {
      const { emulator, subject } = on;
      setupOf(on);
      const wrong = subject.wrongToken?.(emulator) ?? wrongOptions(emulator.options);
      const secrets = secretsIn(wrong);
      if (secrets.length === 0) throw new NotClaimed("Its options hold no token");
      const { findings } = await look(on, { ...optionsAt(on), ...wrong });
      const [first] = problems(findings);
      check(first !== undefined, "wrong credentials are no problem");
      check((first.hint ?? "").length > 10, () => `it does not say what to do about ${shown(first.message)}`);
      for (const secret of [...secrets, ...secretsIn(emulator.options)]) {
        check(!JSON.stringify(findings).includes(secret), "a token stands in what was found");
      }
    },
  },
  {
    id: "setup/beside-gateway",
    proof: "a running gateway answers a message once while its options are checked",
    async play(on) {
      setupOf(on);
      const gateway = await on.gateway();
      const options = optionsAt(on);
      for (let round = 0; round < 3; round++) {
        const [{ findings }] = await Promise.all([look(on, options), on.ask(gateway)]);
        checkEqual(problems(findings), [], "the problems beside a gateway that runs");
      }
      checkEqual(gateway.health().state, "up", "the gateway's health");
      for (const number of [1, 2, 3]) checkEqual(on.countSaid(`Answer number ${number}.`), 1, "how often it answered");
    },
  },
  {
    id: "setup/deadline",
    proof: "a check ends at its deadline, even if the platform does not answer",
    async play(on) {
      setupOf(on);
      on.emulator.fail({ operation: "home", times: 1_000, kind: { is: "hang" } });
      const time = new AbortController();
      const looking = look(on, optionsAt(on), { signal: time.signal });
      setTimeout(() => time.abort(), UNDER_WAY_MS);
      const late = new Promise<never>((_, reject) => {
        const reason = new Disproved(`the check goes on ${ENDS_WITHIN_MS} ms after its time`);
        setTimeout(() => reject(reason), UNDER_WAY_MS + ENDS_WITHIN_MS).unref();
      });
      await Promise.race([looking, late]).finally(() => on.emulator.heal());
    },
  },
]);

function setupOf({ subject }: Stage): KitSetup {
  if (subject.setup === undefined) throw new NotClaimed("The adapter's test names no set-up");
  return subject.setup;
}

/** The options with the stage's home channel, shared if it is a group. */
function optionsAt({ emulator, subject, home }: Stage): Readonly<Record<string, unknown>> {
  const homeChannel = home.kind === "group" ? { shared: true, ...home.home } : home.home;
  const allowedUsers = subject.allowedUsers?.(emulator) ?? ["*"];
  return subject.descriptor(emulator, { homeChannel, allowedUsers }).options as Readonly<Record<string, unknown>>;
}

/** Checks options as `hermes doctor` does. */
async function look(on: Stage, options: unknown, given: Partial<PluginSetupContext> = {}): Promise<Examination> {
  const { emulator, subject, account } = on;
  const { schema } = subject.descriptor(emulator, {});
  const checked = await schema["~standard"].validate(options);
  if (checked.issues) throw new Disproved(`the schema refuses the options: ${shown(checked.issues)}`);
  const folder = pluginFolderPath(account.home, subject.name, account.account);
  const setup: PluginSetup = setupOf(on).setup;
  try {
    return await setup.examine(checked.value, setupContext({ folder, ...given }));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { message, hint } = error;
    return { account: null, findings: [{ state: "problem", message, hint }] };
  }
}

function problems(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ state }) => state === "problem");
}

/** Everything that people see on a platform. */
function stateOf(emulator: Stage["emulator"]): unknown {
  return emulator.chats.map(({ id }) => [id, emulator.messages(id), emulator.threads(id)]);
}

/** Whether a schema knows an option: it complains about the option, or passes it on. */
async function isOption(schema: StandardSchema<unknown>, options: object, option: string): Promise<boolean> {
  const { [option]: given = "an answer" } = options as Readonly<Record<string, unknown>>;
  const checked = await schema["~standard"].validate({ ...options, [option]: given });
  if (!checked.issues) return option in Object(checked.value);
  return checked.issues.some(({ path: [first] = [] }) => isDeepStrictEqual(Object(first).key ?? first, option));
}

function checkQuestion({ option, label, steps = [], variable }: SetupQuestion): void {
  const isSecret = isSecretName(option);
  check(isSecret || variable === undefined, () => `${variable} is no secret, and stays out of the config`);
  check(!isSecret || variable !== undefined, () => `${option} is a secret, and would stand in the config`);
  check(!/[.:?]$/.test(label), () => `${shown(label)} ends in a mark`);
  check(steps.length <= MOST_STEPS, () => `the steps to ${option} are ${steps.length} lines`);
  const long = steps.find((step) => step.length > LONGEST_STEP || step.includes("\n"));
  check(long === undefined, () => `a step to ${option} is longer than a line: ${shown(long)}`);
}
