import { basename } from "node:path";
import { ANY_SCRIPT, BUILD_PROGRAMS } from "./build-programs.ts";
import { isLongOption, NONE, plainName, type StarLimits, USUAL } from "./star-limits.ts";
import { SYSTEM_PROGRAMS } from "./system-programs.ts";
import { isPackagedWrapper, isShellWord, isWrapper } from "./wrappers.ts";

const PROGRAMS: Readonly<Record<string, StarLimits>> = { ...SYSTEM_PROGRAMS, ...BUILD_PROGRAMS };

/** With how many operands at most a program runs what is piped into it; null where it never does. */
export function operandsBeforeInput(program: string): number | null {
  const { isInterpreter = false, operands = 0 } = limitsOf(program);
  return isInterpreter || isWrapper(program) ? operands : null;
}

/** Whether a program writes nothing and runs nothing with these words. */
export function onlyReads(program: string, words: readonly string[]): boolean {
  return limitsOf(program).onlyReads === true && beyondStar(program, words, () => true, true) === null;
}

/**
 * The programs that a command has another one run, as far as they are known: `eslint` of `npx eslint` and of `yarn eslint`.
 * Behind `--` stand the words of a script, whatever it runs.
 */
export function ranBy(program: string, words: readonly string[]): string[] {
  const isModule = isOfModule(program, words);
  const { endsAtScript = false } = limitsOf(program);
  if (endsAtScript && !isModule) {
    const [script = "-"] = words;
    if (script.startsWith("-")) return [];
    const name = programOf(script.replace(/\.[cm]?[jt]s$/, "")).replace(/^_/, "");
    return [Object.hasOwn(BUILD_PROGRAMS, name) ? name : ANY_SCRIPT];
  }
  if (!isModule && !isRunner(program) && !RUNS_OTHERS.has(program)) return [];
  // npm runs a program by `exec` alone; what these name are packages.
  const namesNone = program === "npm" || (RUNS_OTHERS.has(program) && OF_PACKAGES.test(words[0] ?? ""));
  const wraps = NODE_MANAGERS.has(program) ? isPackagedWrapper : isWrapper;
  const named = namesNone ? [] : words.map((word) => programOf(word.replace(/(?<=.)@[^/]*$/, "")));
  const known = named.filter((name, at) => {
    const isName = /^(?:@[\w.-]+\/)?[\w.@-]+$/.test(words[at] ?? "");
    return isName && (Object.hasOwn(BUILD_PROGRAMS, name) || wraps(name));
  });
  if (isModule) return [programOf(words[1] ?? ""), ...known];
  return words.includes("--") ? [...known, "eslint", "jest", "mocha", "vitest"] : known;
}

function isOfModule(program: string, words: readonly string[]): boolean {
  return INTERPRETERS_OF_MODULES.test(program) && words[0] === "-m";
}

const NODE_MANAGERS = new Set(["pnpm", "yarn", "bun"]);
const OF_PACKAGES =
  /^(?:view|info|show|why|explain|ls|list|outdated|install|i|ci|add|remove|rm|un(?:install)?|up(?:date|grade)?|audit)$/;
const INTERPRETERS_OF_MODULES = /^python\d?$/;
const RUNS_OTHERS = new Set(
  "npm pnpm yarn bun turbo uv poetry pdm pipenv hatch rye bundle conda mamba mise".split(" "),
);

/** Whether a program's first operand is the program that it runs. */
export function isRunner(program: string): boolean {
  return ["npx", "bunx", "pnpx", "uvx", "pipx"].includes(program);
}

/**
 * The first of a program's words that stands for a star in an allow rule and must not; null where there is none.
 * `hasScript`: the rule itself says the program's first operand.
 */
export function beyondStar(
  program: string,
  words: readonly string[],
  isStarred: (at: number) => boolean,
  hasScript: boolean,
): string | null {
  const { letters = "", long = [], own = [], words: others, commands, script, ...limits } = limitsOf(program);
  const starred = words.filter((_, at) => isStarred(at));
  const first = starred.find((word) => !word.startsWith("-"));
  if (script !== undefined && !hasScript && first !== undefined && !script.test(first)) return first;
  const hasCommand = words[0] !== undefined && !words[0].startsWith("-");
  const isBeyond = (word: string, at: number): boolean => {
    if (limits.harmless?.(word, at, words)) return false;
    if (others?.test(word) || (commands?.test(word) && (at === 0 || !hasCommand))) return true;
    if (!word.startsWith("-")) return false;
    if (!word.startsWith("--") && [...word].some((letter) => letters.includes(letter))) return true;
    return !own.includes(plainName(word)) && isLongOption(word, long);
  };
  // Only where no option stands in front of it, whose value a script would look like.
  const scriptAt = limits.endsAtScript !== true ? -1 : hasCommand ? 0 : isOfModule(program, words) ? 1 : -1;
  const isOwn = (at: number) => scriptAt < 0 || at <= scriptAt;
  return words.find((word, at) => isStarred(at) && isOwn(at) && isBeyond(word, at)) ?? null;
}

/** Whether it stands in the tables. */
export function isKnownProgram(program: string): boolean {
  return Object.hasOwn(PROGRAMS, program) && PROGRAMS[program] !== NONE;
}

/** A program's name in the tables: `/usr/bin/Python3.11` is `python`. Some file systems have no regard to case. */
export function programOf(word: string): string {
  const name = basename(word.toLowerCase()).replace(/\.exe$/, "");
  const isKnown = Object.hasOwn(PROGRAMS, name) || isWrapper(name) || isShellWord(name);
  return isKnown ? name : name.replace(/-?[\d.]+$/, "");
}

function limitsOf(program: string): StarLimits {
  return Object.hasOwn(PROGRAMS, program) ? (PROGRAMS[program] ?? USUAL) : USUAL;
}
