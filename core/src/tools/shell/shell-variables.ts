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
  return { ...Object.fromEntries(passed), ...QUIET };
}
