import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { everyTarget, isSecretFile, isWithin, realTarget, statsAt } from "../files.ts";
import { callOfGit, leavesIndex } from "./git-files.ts";
import { type HiddenRead, openedBy } from "./hidden-files.ts";
import { pathsInWord } from "./paths-in-word.ts";
import { isKnownProgram } from "./programs.ts";
import { hasOne, type Options, options } from "./star-limits.ts";

export interface Places {
  readonly directory: string | null;
  /** The folder that a command runs in. */
  readonly folder: string;
  /** Hermes' home. */
  readonly home: string;
}

/** A program that goes through all that is in a folder. */
interface Walker {
  /** Where it does so only with some options or words; `words` are all of its own. */
  readonly by?: Options | ((words: readonly string[], folder: string) => boolean);
  /** With these it goes through the folder that it runs in, whatever it names besides. */
  readonly here?: Options;
  /** It shows what is in the files that it finds, rather than their names. */
  readonly reads?: true;
  /** Its first operand is what it looks for. */
  readonly looksFor?: true;
  /** The letters of options behind which a value stands. */
  readonly valued?: string;
  /** With these it follows links; `true` where it always does. */
  readonly follows?: Options | true;
  /** With these it looks into hidden files, where it does not by itself. */
  readonly hidden?: Options;
}

const GREP = { reads: true, looksFor: true, valued: "ABCDdefm", follows: options("R", "dereference") } as const;
const RIPGREP = { ...GREP, valued: "ABCEMTdefgjmrt", follows: options("L", "follow") } as const;
const NAMES: Walker = {};
const COPIES_FOLDERS: Walker = { by: options("aRr", "archive recursive") };
const TAKES_ALL: Walker = { reads: true, follows: true };

const WALKERS: Readonly<Record<string, Walker>> = {
  ...all({ ...GREP, by: options("Rrd", "recursive dereference-recursive directories") }, "grep egrep fgrep zgrep"),
  rg: { ...RIPGREP, hidden: options("u.", "hidden no-ignore unrestricted ignore-file") },
  ag: { ...RIPGREP, hidden: options("u.", "hidden no-ignore unrestricted") },
  ...all(RIPGREP, "rgrep ack ugrep ug rga"),
  ...all(NAMES, "find bfs fd fdfind tree du mv ln"),
  ...all({ by: options("RT", "recursive tree") }, "ls dir vdir exa eza lsd"),
  ...all(COPIES_FOLDERS, "cp"),
  ...all({ ...TAKES_ALL, by: options("r", "recursive") }, "scp"),
  zip: { ...TAKES_ALL, by: options("rR", "recurse"), here: options("R", "recurse-patterns") },
  ...all(TAKES_ALL, "diff sdiff colordiff rsync ctags etags"),
  ...all({ ...TAKES_ALL, by: readsMoreThanArchives }, "7z 7za 7zz"),
  git: { ...TAKES_ALL, by: leavesIndex },
};

/** Whether 7z reads other files than the archives that it lists, tests or tells of. */
function readsMoreThanArchives(words: readonly string[]): boolean {
  return !/^[ltib]$/i.test(words.find((word) => !word.startsWith("-")) ?? "");
}

function all(walker: Walker, names: string): Record<string, Walker> {
  return Object.fromEntries(names.split(" ").map((name) => [name, walker]));
}

/** In files and folders: a folder with more is not looked through before a program may go through it. */
const MOST_ENTRIES = 10_000;

/**
 * Why the words of a command that stand for a star must not have it go through a folder: it holds Hermes' home or the
 * person's, is not below the session's directory, or a file in it may hold keys. Null where none of that is so. Of a
 * program that nobody knows, only a folder around a home counts.
 */
export function walkedBeyond(
  program: string,
  words: readonly string[],
  isStarred: (at: number) => boolean,
  places: Places,
): string | null {
  if (program !== "git") return walkedIn(program, words, isStarred, places);
  const call = callOfGit(words, places.folder);
  return walkedIn(program, call.words, (at) => isStarred(call.at + at), { ...places, folder: call.folder });
}

function walkedIn(
  program: string,
  words: readonly string[],
  isStarred: (at: number) => boolean,
  places: Places,
): string | null {
  const walker = walkerOf(program);
  if (walker === undefined && isKnownProgram(program)) return null;
  const by = walker?.by;
  if (by !== undefined && !(typeof by === "function" ? by(words, places.folder) : hasOne(by, words))) return null;
  for (const root of rootsOf(program, words, isStarred, places.folder)) {
    const why = whyNot(root, walker, words, places);
    if (why !== null) return `\`${program}\` goes through all of ${root.word}, ${why}`;
  }
  return null;
}

function walkerOf(program: string): Walker | undefined {
  return Object.hasOwn(WALKERS, program) ? WALKERS[program] : undefined;
}

interface Root {
  readonly word: string;
  readonly path: string;
}

function rootsOf(
  program: string,
  words: readonly string[],
  isStarred: (at: number) => boolean,
  folder: string,
): readonly Root[] {
  const walker = walkerOf(program);
  const roots: Root[] = [];
  const lookedFor = walker?.looksFor === true ? operandLookedFor(words) : -1;
  let isElsewhere = false;
  for (const [at, word] of words.entries()) {
    if (at === lookedFor) continue;
    // Where it may name too many, the command is asked about by itself.
    const named = pathsInWord(program, word) ?? [];
    for (const part of walker === undefined ? (word.startsWith("-") ? [] : [word]) : named) {
      for (const path of new Set([...everyTarget(part, folder)].map((target) => realTarget(target)))) {
        const stats = statsAt(path);
        if (stats === null) continue;
        isElsewhere ||= part === word && !word.startsWith("-") && !mayBeValue(words[at - 1], walker?.valued ?? "");
        if (stats.isDirectory() && isStarred(at)) roots.push({ word, path });
      }
    }
  }
  const takesThis = walker !== undefined && (!isElsewhere || (walker.here !== undefined && hasOne(walker.here, words)));
  return takesThis ? [...roots, { word: "the folder that it runs in", path: realTarget(folder) }] : roots;
}

/** Where the word stands that a program looks for; -1 where an option may say it, and all words may be paths. */
function operandLookedFor(words: readonly string[]): number {
  const isSaid = words.some((word) => /^-\w*[ef]|^--(?:reg|f|match)/.test(word));
  return isSaid ? -1 : words.findIndex((word) => !word.startsWith("-"));
}

/** Whether a word may be what the option in front of it takes: then it names no folder. */
function mayBeValue(before: string | undefined, valued: string): boolean {
  if (before === undefined || !before.startsWith("-") || before === "--") return false;
  return before.startsWith("--") ? !before.includes("=") : valued.includes(before.at(-1) ?? "");
}

function whyNot(
  { path }: Root,
  walker: Walker | undefined,
  words: readonly string[],
  { directory, folder, home }: Places,
): string | null {
  if (isWithin(path, home)) return "and Hermes' home is in it";
  if (isWithin(path, realTarget(homedir()))) return "and your home with its keys and passwords is in it";
  if (walker === undefined) return null;
  if (directory !== null && !isWithin(directory, path)) return `which is not below ${directory}`;
  if (walker.reads !== true) return null;
  const { hidden, follows } = walker;
  return secretBelow(path, directory ?? path, {
    isHiddenRead: hidden === undefined || hasOne(hidden, words) ? () => true : openedBy(words, [path, folder]),
    isFollowing: follows === true || (follows !== undefined && hasOne(follows, words)),
  });
}

interface Reading {
  readonly isHiddenRead: HiddenRead;
  readonly isFollowing: boolean;
}

/** Which file below a folder nobody but its owner should read; packages that are installed there are left out. */
function secretBelow(root: string, directory: string, { isHiddenRead, isFollowing }: Reading): string | null {
  const folders = [root];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      if (++seen > MOST_ENTRIES) return "which has too many files to be looked through";
      const path = join(folder, entry.name);
      if (entry.name === "node_modules") continue;
      if (entry.name.startsWith(".") && !isHiddenRead(path, entry.isDirectory())) continue;
      if (entry.name === ".git") {
        if (hasPassword(join(path, "config"))) return `and ${path}/config holds a password`;
      } else if (entry.isDirectory()) folders.push(path);
      else if (entry.isSymbolicLink()) {
        const target = realTarget(path);
        if (isFollowing && !isWithin(directory, target)) return `and ${path} leads out of ${directory}`;
        if (isFollowing && isKept(target, directory)) return `and ${path} may hold keys or passwords`;
      } else if (isKept(path, directory)) return `and ${path} may hold keys or passwords`;
    }
  }
  return null;
}

function isKept(path: string, directory: string): boolean {
  return isSecretFile(path, directory) && !/\.env\.(?:example|sample|template|dist)$/.test(basename(path));
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Whoever cannot read it cannot go through it.
    return [];
  }
}

/** Whether the config of a repository has more in it than names and addresses. */
function hasPassword(config: string): boolean {
  try {
    return /:\/\/[^\s/]*@|extraheader|token|password/i.test(readFileSync(config, "utf8"));
  } catch {
    return false;
  }
}
