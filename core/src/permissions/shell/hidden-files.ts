import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import createIgnore, { type Ignore } from "ignore";
import { realTarget } from "../files.ts";
import { spellings } from "./paths-in-word.ts";

/** Whether a program that passes over hidden files reads one. */
export type HiddenRead = (path: string, isFolder: boolean) => boolean;

/** A glob with more is taken for one that names everything. */
const MOST_STARS = 6;

/**
 * What a type that ripgrep knows may name among hidden files: `.env.json`. None is of the names that files with variables
 * have by custom.
 */
const OF_TYPES = [".*.*"].concat(
  "local dev development prod production test testing stage staging ci docker bak backup old"
    .split(" ")
    .map((name) => `!.*.${name}`),
);

/** ripgrep reads them in each folder, and in those around it. */
const IGNORING = [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"];

/**
 * What opens a hidden file to ripgrep: a glob that names it (`-g '*'`, `--glob=.e*`), a type that it is of, or a line
 * such as `!.env` in a file of ignored names. Globs begin at each of `roots`.
 */
export function openedBy(words: readonly string[], roots: readonly string[]): HiddenRead {
  const isTyped = words.some((word) => /^(?:-\w*?t|--type(?:=|$))/.test(word));
  const named = globsOf(isTyped ? OF_TYPES : [], words.flatMap(globIn));
  const kept = new Map<string, Ignore>();
  const keptIn = (folder: string) => {
    const known =
      kept.get(folder) ??
      globsOf(
        [],
        IGNORING.flatMap((name) => keptBy(join(folder, name))),
      );
    kept.set(folder, known);
    return known;
  };
  return (path, isFolder) => {
    const isMeant = (globs: Ignore, folder: string) => {
      const way = relative(folder, path);
      return way !== "" && !way.startsWith("..") && globs.ignores(isFolder ? `${way}/` : way);
    };
    if (roots.some((root) => isMeant(named, realTarget(root)))) return true;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if (isMeant(keptIn(folder), folder)) return true;
      if (dirname(folder) === folder) return false;
    }
  };
}

/** The glob that a word says, or the one behind it; none where it leaves files out. */
function globIn(word: string, at: number, words: readonly string[]): string[] {
  const [option, name = "", own = ""] = /^(-\w*?g=?|--(?:i?glob|type-add)(?:=|$))(.*)/s.exec(word) ?? [];
  if (option === undefined) return [];
  const said = own === "" ? (words[at + 1] ?? "") : own;
  // The name of a type may have letters of any script.
  const glob = name.startsWith("--type") ? said.replace(/^[^:]*:/, "") : said;
  // Braces with such signs in them are taken as they are.
  return glob.startsWith("!") ? [] : (spellings(glob.replaceAll(/[\s"'$]/g, "?")) ?? ["*"]);
}

/** The names that a file of ignored ones takes back: `!.env`. */
function keptBy(path: string): string[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.flatMap((line) => /^!(.+)/.exec(line.trimEnd())?.[1] ?? []);
  } catch {
    return [];
  }
}

function globsOf(first: readonly string[], globs: readonly string[]): Ignore {
  // With each star it takes longer.
  const quick = globs.map((glob) => (glob.split("*").length > MOST_STARS + 1 ? "*" : glob));
  return createIgnore().add([...first, ...quick]);
}
