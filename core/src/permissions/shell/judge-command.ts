import { basename, dirname } from "node:path";
import { shorten } from "../../base/shorten.ts";
import { everyTarget, isControlFile, isSecretFile, isWithin, mayBeRepository } from "../files.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { pathsInWord, spellings } from "./paths-in-word.ts";
import { beyondStar, isRunner, onlyReads, programOf, ranBy } from "./programs.ts";
import type { Word } from "./read-line.ts";
import { type Places, walkedBeyond } from "./walked-folders.ts";
import { isShellWord, isWrapper } from "./wrappers.ts";

const EVERY_COMMAND: CommandPattern = { words: [], isOpen: true };

/** How far an allow rule reaches: `why` is a clause that says what its star does not stand for. */
export type Reach = { readonly is: "whole" | "none" } | { readonly is: "short"; readonly why: string };

/**
 * Whether an allow rule covers a command: word by word, the program as it is written. A star stands for no option that
 * is known to write or to run something, for nothing that a wrapper would run, and for no folder with what is protected.
 */
export function reachOf(pattern: CommandPattern | null, words: readonly Word[], places: Places): Reach {
  const { words: wanted, isOpen } = pattern ?? EVERY_COMMAND;
  const known = words.filter((word) => word !== null);
  if (known.length !== words.length || known.length < wanted.length) return { is: "none" };
  if (!isOpen && known.length !== wanted.length) return { is: "none" };
  if (!wanted.every((one, at) => (typeof one === "string" ? one === known[at] : one.test(known[at] ?? ""))))
    return { is: "none" };
  if (!isOpen && wanted.every((one) => typeof one === "string")) return { is: "whole" };
  const why = starLimit(wanted, known, places);
  return why === null ? { is: "whole" } : { is: "short", why };
}

function starLimit(wanted: CommandPattern["words"], known: readonly string[], places: Places): string | null {
  // A star alone stands for any path; one behind a folder's name for those below it.
  const climbing = known.find((word, at) => wanted[at] instanceof RegExp && isClimbing(word));
  if (climbing !== undefined) return `its star stands for no path with .. in it, such as ${shown(climbing)}`;
  const program = programOf(known[0] ?? "");
  if (isRunner(program) && (typeof wanted[1] !== "string" || wanted[1].startsWith("-")))
    return `${shown(program)} runs what is named, so that the rule has to name it without a star`;
  const hasScript = wanted.slice(1).some((word) => typeof word === "string" && !word.startsWith("-"));
  const words = known.slice(1);
  const isStarred = (at: number) => typeof wanted[at + 1] !== "string";
  for (const one of [program, ...ranBy(program, words)]) {
    if (isWrapper(one)) return `${shown(one)} runs what its words say, which no star stands for`;
    const word = beyondStar(one, words, isStarred, hasScript);
    if (word !== null) return `no star stands for ${shown(word)}, with which ${one} may run or write something else`;
  }
  return walkedBeyond(program, words, isStarred, places);
}

function shown(word: string): string {
  return `\`${shorten(word.replaceAll(/\s+/g, " "), 60)}\``;
}

/** Whether a word leads out of the folder that it names: `docs/../../x`, `--file=../x`, `-I..`. */
function isClimbing(word: string): boolean {
  return spellings(word)?.some((one) => /(?:^|[/=:,;@<]|^-{1,2}\w+)\.\.(?:\/|$)/.test(one)) ?? true;
}

/**
 * Whether a rule that asks or denies means a command. It is taken widely: wherever the program lies, and with other
 * options between the words.
 */
export function isCommandMeant(pattern: CommandPattern | null, words: readonly Word[]): boolean {
  const { words: wanted, isOpen } = pattern ?? EVERY_COMMAND;
  const [program, ...rest] = wanted;
  if (program === undefined) return true;
  const name = words[0] ?? null;
  if (name === null || !(fits(program, name) || fits(program, basename(name)))) return false;
  let at = 0;
  let isBehindOption = false;
  for (const word of words.slice(1)) {
    const next = rest[at];
    if (next === undefined) return isOpen || word === null;
    // What bash makes of it may be just that.
    if (word === null || fits(next, word)) at++;
    else if (!word.startsWith("-") && !isBehindOption) return false;
    isBehindOption = word?.startsWith("-") ?? false;
  }
  return at === rest.length;
}

function fits(pattern: string | RegExp, word: string): boolean {
  return typeof pattern === "string" ? pattern.toLowerCase() === word.toLowerCase() : pattern.test(word);
}

/** Why a command is asked past every allow rule; null where it is not. */
export function commandAsked(words: readonly Word[], { directory, folder, home }: Places): string | null {
  const known = words.filter((word) => word !== null);
  const program = programOf(known[0] ?? "");
  if (isShellWord(program)) return `${program} changes what the rest of the line does`;
  const isReader = onlyReads(program, known.slice(1));
  for (const word of known.slice(1)) {
    // Its own streams.
    if (/^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$/.test(word)) continue;
    const parts = pathsInWord(program, word);
    if (parts === null) return `which files ${word} means is not certain`;
    for (const part of parts) {
      for (const path of everyTarget(part, folder)) {
        if (isWithin(home, path)) return `${word} is in Hermes' home`;
        if (isSecretFile(path, directory ?? "/")) return `${word} may hold keys or passwords`;
        if (!isReader && !isRevision(program, part, path) && isControlFile(path, directory ?? "/"))
          return `${word} says what may run or who has which rights`;
      }
    }
  }
  return null;
}

const COPIES = new Set(["cp", "mv", "ln", "install", "rsync", "scp", "tee", "touch", "dd"]);

/** Whether a word is the commit `HEAD` rather than a file: git's own, and of others a word beside no config. */
function isRevision(program: string, word: string, path: string): boolean {
  if (basename(word) !== "HEAD") return false;
  return program === "git" || (word === "HEAD" && !COPIES.has(program) && !mayBeRepository(dirname(path)));
}
