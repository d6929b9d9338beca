import type { CommanderError } from "commander";
import { HermesError } from "../base/errors.ts";
import type { CliContext } from "./context.ts";

/** What commander found wrong with a line, as an error of Hermes: one sentence. */
export function usageError({ message }: Pick<CommanderError, "message">, command: string): HermesError {
  const said = message.replace(/^error: /, "").replace(/\.$/, "");
  const [pattern, sentence] = SENTENCES.find(([pattern]) => pattern.test(said)) ?? [
    /^./,
    (first: string) => first.toUpperCase(),
  ];
  return new HermesError("USAGE", { reason: said.replace(pattern, sentence), command });
}

/** Commander's own words, and Hermes' for the same. An option is named by its long form. */
const SENTENCES: readonly (readonly [words: RegExp, sentence: (...parts: string[]) => string])[] = [
  [/^missing required argument '(.+)'$/, (_, name) => `<${name}> is missing`],
  [/^option '(?:-., )?(\S+) (.+)' argument missing$/, (_, name, value) => `${name} needs ${value}`],
  [
    /^option '(?:-., )?(\S+) .+?' argument '(.*)' is invalid\. (.+)$/s,
    (_, name, value, wanted) => not(name, value, wanted),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.+?)'\. (.+)$/s,
    (_, value, name, wanted) => not(`<${name}>`, value, wanted),
  ],
  [
    /^too many arguments(?: for '.+')?\. Expected (\d+) arguments? but got \d+$/,
    (_, most) => `Too many arguments: it takes ${most === "0" ? "none" : `${most} at most`}`,
  ],
  [
    /^unknown option '(.+)'\n\(Did you mean (.+)\?\)$/s,
    (_, flag, meant) => `There is no option ${flag}; did you mean ${meant}?`,
  ],
  [/^unknown option '(.+)'$/s, (_, flag) => `There is no option ${flag}`],
];

function not(name = "", value = "", wanted = ""): string {
  const choices = wanted.replace(/^Allowed choices are /, "It has to be one of ");
  return `${name} cannot be ${value === "" ? "empty" : value}: ${choices.charAt(0).toLowerCase()}${choices.slice(1)}`;
}

/** A chat has many answers and no one document. */
export function refuseJson({ output }: CliContext, command: string): void {
  if (!output.json) return;
  throw new HermesError("USAGE", { reason: "--json needs one question, as in `hermes chat -q`", command });
}
