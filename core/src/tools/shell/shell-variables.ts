import { isSecretName, withoutLookalikes } from "../../base/redact.ts";

/** The variables that a command gets of Hermes' own: none that holds a secret, or that bash reads code or options from. */
const PASSED = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR)$/;

/** For programs that would wait for somebody at a terminal, or draw on one. */
const QUIET = { TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/** Makes the environment of a command that a person runs by themself: their own, without what needs a terminal. */
export function ownVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...environment, ...QUIET };
}

/** Makes the environment of a command from that of Hermes. */
export function shellVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  const passed = Object.entries(environment).flatMap(([name, value]) =>
    PASSED.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(passed), ...QUIET, ...gitVariables(environment) };
}

/**
 * Makes the variables that set git up: what they hold already, but for secrets, and that a bare repository has to be named.
 * Any folder can hold the files of one, and its config says what git runs.
 */
function gitVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  const count = /^\d{1,3}$/.test(environment.GIT_CONFIG_COUNT ?? "") ? Number(environment.GIT_CONFIG_COUNT) : 0;
  const given = Array.from({ length: count }, (_, at): GitSetting => {
    return [environment[`GIT_CONFIG_KEY_${at}`] ?? "", environment[`GIT_CONFIG_VALUE_${at}`] ?? ""];
  });
  const kept = [...given.filter(mayBePassed), ["safe.bareRepository", "explicit"]];
  const named = kept.flatMap(([name = "", value = ""], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: `${kept.length}`, ...Object.fromEntries(named) };
}

type GitSetting = readonly [name: string, value: string];

/** Headers hold tokens, and addresses passwords. */
function mayBePassed([name, value]: GitSetting): boolean {
  const isSecret = /extraheader$/i.test(name) || isSecretName(name);
  return name !== "" && !isSecret && withoutLookalikes(name) === name && withoutLookalikes(value) === value;
}
