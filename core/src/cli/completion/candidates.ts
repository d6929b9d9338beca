import type { Argument, Command, Option } from "commander";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What may stand at the end of a line: words of the command table, or what has to be looked up. */
export interface Wanted {
  readonly candidates: readonly Candidate[];
  readonly lookUp: LookUp | null;
}

/** What stands in the store, or was served here. */
export type LookUp = "session" | "platform" | "place" | "code" | "person";

const NOTHING: Wanted = { candidates: [], lookUp: null };

/** What may stand in the place of the last of `words`, by commander's table. */
export function wantedAt(program: Command, words: readonly string[]): Wanted {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  let command = program;
  let position = 0;
  let pending: Option | null = null;
  let onlyWords = false;
  for (const word of before) {
    if (pending !== null) pending = null;
    else if (word === "--") onlyWords = true;
    else if (!onlyWords && word.startsWith("-")) pending = takesValue(program, command, word);
    else {
      const next = position === 0 ? command.commands.find((one) => isNamed(one, word)) : undefined;
      if (next) command = next;
      else position++;
    }
  }
  if (pending !== null) return ofOption(pending);
  if (!onlyWords && current.startsWith("-")) return { candidates: optionsOf(program, command), lookUp: null };
  const arguments_ = argumentsOf(command);
  const subcommands = position === 0 ? subcommandsOf(command) : [];
  const argument = arguments_[position] ?? (arguments_.at(-1)?.variadic ? arguments_.at(-1) : undefined);
  const ofArgument = argument === undefined || subcommands.length > 0 ? NOTHING : ofNamed(argument.name(), argument);
  return { ...ofArgument, candidates: [...subcommands, ...ofArgument.candidates] };
}

/** The commands of a command that its help lists. */
function subcommandsOf(command: Command): Candidate[] {
  const own = command.createHelp().visibleCommands(command);
  return own.map((one) => ({ value: one.name(), description: one.description() }));
}

function argumentsOf(command: Command): readonly Argument[] {
  return command.registeredArguments;
}

function isNamed(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

/** The option that a word names, where its value is the next word. */
function takesValue(program: Command, command: Command, word: string): Option | null {
  const option = [...command.options, ...program.options].find(({ short, long }) => word === short || word === long);
  return option && (option.required || option.optional) ? option : null;
}

function optionsOf(program: Command, command: Command): Candidate[] {
  const options = [...new Set([...command.createHelp().visibleOptions(command), ...program.options])];
  return options
    .filter(({ long }) => long !== undefined && (command === program || long !== "--version"))
    .map(({ long, description }) => ({ value: long ?? "", description }));
}

function ofOption(option: Option): Wanted {
  return ofNamed(/<(\w+)/.exec(option.flags)?.[1] ?? "", option);
}

function ofNamed(name: string, { argChoices = [] }: Argument | Option): Wanted {
  const candidates = argChoices.map((value) => ({ value, description: "" }));
  return { candidates, lookUp: isLookUp(name) ? name : null };
}

function isLookUp(name: string): name is LookUp {
  return ["session", "platform", "place", "code", "person"].includes(name);
}
