/** What of a program's words a star in an allow rule does not stand for: they write files or run programs. */
export interface StarLimits {
  /** Options of one letter, wherever they stand among others: `-xvf`. */
  readonly letters?: string;
  /** Options by their long names, shortened ones and longer ones included. */
  readonly long?: readonly string[];
  /** Whole names of options that only look like the beginning of one of those. */
  readonly own?: readonly string[];
  readonly words?: RegExp;
  /** The same of its first word alone, where that is its command. */
  readonly commands?: RegExp;
  /** What looks like one of all those and is none. `at`: its place among the program's `words`. */
  readonly harmless?: (word: string, at: number, words: readonly string[]) => boolean;
  /** What stands behind its script is the script's own. */
  readonly endsAtScript?: boolean;
  /** What its first operand, a script, has to be. */
  readonly script?: RegExp;
  /** Reads its program from what is piped in where no file is named. */
  readonly isInterpreter?: boolean;
  /** How many operands such a program has besides, such as its database. */
  readonly operands?: number;
  /** Writes nothing and runs nothing with other words than those. */
  readonly onlyReads?: boolean;
}

export const NONE: StarLimits = {};
export const READER = { onlyReads: true };
export const INTERPRETER: StarLimits = { isInterpreter: true, words: /^-$|^\/(?:dev|proc)\// };

/** For a program that has no line of its own below. */
export const USUAL: StarLimits = {
  letters: "cCeox",
  long: [
    "output",
    "out",
    "exec",
    "eval",
    "command",
    "config",
    "to-command",
    "use-compress-program",
    "pager",
    "plugin",
  ].concat(["write", "fix", "in-place", "inplace"]),
};

/** An option's name, however it is spelt: `--globalSetup` and `--global-setup=x` are `globalsetup`. */
export function plainName(option: string): string {
  return (option.replace(/^-+/, "").split("=")[0] ?? "").toLowerCase().replaceAll(/[-_]/g, "");
}

/** Whether a word is one of these options by its long name, or by the beginning of one as GNU takes it. */
export function isShortened(word: string, names: readonly string[]): boolean {
  const name = plainName(word);
  return word.startsWith("--") && name !== "" && names.some((one) => plainName(one).startsWith(name));
}

/** The same, or a longer option that begins so. */
export function isLongOption(word: string, names: readonly string[]): boolean {
  const name = plainName(word);
  return isShortened(word, names) || (word.startsWith("-") && names.some((one) => name.startsWith(plainName(one))));
}

export function same(limits: StarLimits, ...names: string[]): Record<string, StarLimits> {
  return Object.fromEntries(names.map((name) => [name, limits]));
}

/** The usual limits and others besides: `letters` of options, long names with spaces between them, words. */
export function more(letters: string, long: string, words?: RegExp): StarLimits {
  return {
    letters: `${USUAL.letters}${letters}`,
    long: [...(USUAL.long ?? []), ...long.split(" ").filter((name) => name !== "")],
    ...(words === undefined ? {} : { words }),
  };
}

/** Options by their letters, wherever they stand among others, and by their long names with spaces between them. */
export interface Options {
  readonly letters: string;
  readonly long: string;
}

export const options = (letters: string, long: string): Options => ({ letters, long });

export function hasOne({ letters, long }: Options, words: readonly string[]): boolean {
  return words.some((word) => {
    const [, given = ""] = /^-(\w*\.?)/.exec(word) ?? [];
    return [...given].some((letter) => letters.includes(letter)) || isLongOption(word, long.split(" "));
  });
}
