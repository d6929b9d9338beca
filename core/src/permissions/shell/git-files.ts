import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { everyTarget, isWithin, realTarget, statsAt, whereItLeads } from "../files.ts";
import { hasOne, isLongOption, options } from "./star-limits.ts";

/** Options in front of git's command behind which a value stands. */
const VALUED = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"]);

/** What git does: `at` is where its command stands among its words. */
interface CallOfGit {
  readonly at: number;
  /** The command and its options and operands; without operands where it takes the whole repository. */
  readonly words: readonly string[];
  /** Where it begins: the folder that each `-C` leads to, or that of the whole repository. */
  readonly folder: string;
}

const FORCES = options("f", "force");
const TAKES_ALL = options("aA", "all");

export function callOfGit(given: readonly string[], start: string): CallOfGit {
  let folder = start;
  let at = 0;
  for (let word = given[at]; word?.startsWith("-"); word = given[at]) {
    if (word === "-C") folder = whereItLeads(given[at + 1] || ".", folder);
    at += VALUED.has(word) ? 2 : 1;
  }
  const words = given.slice(at);
  if (!/^(?:add|stage|stash)$/.test(words[0] ?? "") || !hasOne(TAKES_ALL, words)) return { at, words, folder };
  const isSaid = (word: string, index: number) => index === 0 || word.startsWith("-");
  return { at, words: words.filter(isSaid), folder: folderWithGit(folder) ?? folder };
}

/** Whether git reads files that are none of its repository's, or takes ignored ones into it, to be shown later. */
export function leavesIndex(words: readonly string[], folder: string): boolean {
  const [command = ""] = words;
  if (words.some((word) => isLongOption(word, ["no-index"]))) return true;
  if (words.includes("grep")) return words.some((word) => isLongOption(word, ["untracked", "no-exclude-standard"]));
  if (command === "add" || command === "stage") return hasOne(FORCES, words);
  if (command === "stash") return hasOne(TAKES_ALL, words);
  const at = words.indexOf("diff");
  return at >= 0 && comparesFiles(words.slice(at + 1), folder);
}

/**
 * Whether `git diff` compares two files or folders themselves, as it does by itself where it finds no repository, or one
 * of them is outside of it.
 */
function comparesFiles(words: readonly string[], folder: string): boolean {
  const paths = (word: string) => [...everyTarget(word, folder)];
  const isThere = (word: string) => paths(word).some((path) => statsAt(path) !== null);
  const operands = words.filter((word) => !word.startsWith("-"));
  const [first = ""] = words;
  // git may refuse what looks like a repository, for its owner or its config, unless what is compared is a commit.
  const isOfCommit = operands[0] === first && !isThere(first);
  if (!isOfCommit && operands.filter(isThere).length > 1) return true;
  const top = repositoryAround(folder);
  // Another part of the line may make the file that is not there yet.
  return operands.some((word) => (top === null ? isThere(word) : paths(word).some((path) => !isWithin(top, path))));
}

/** The folder of a repository around a folder; null where there is none, or git takes the first `.git` for none. */
function repositoryAround(folder: string): string | null {
  const top = folderWithGit(folder);
  return top !== null && isRepository(join(top, ".git")) ? top : null;
}

function folderWithGit(folder: string): string | null {
  for (let at = realTarget(folder); ; at = dirname(at)) {
    if (statsAt(join(at, ".git")) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

/** gitrepository-layout: a folder with HEAD, objects and refs, or a file that says where one is, as in a work tree. */
function isRepository(path: string): boolean {
  const said = lineOf(path)?.replace(/^gitdir: /, "");
  const own = said === undefined ? path : resolve(dirname(path), said);
  const common = resolve(own, lineOf(join(own, "commondir")) ?? ".");
  const isOwned = statsAt(path)?.uid === (process.getuid?.() ?? statsAt(path)?.uid);
  const isFolder = (name: string) => statsAt(join(common, name))?.isDirectory() === true;
  return (
    isOwned &&
    /^(?:ref: refs\/|[\da-f]{40})/.test(lineOf(join(own, "HEAD")) ?? "") &&
    ["objects", "refs"].every(isFolder)
  );
}

function lineOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch {
    return undefined;
  }
}
