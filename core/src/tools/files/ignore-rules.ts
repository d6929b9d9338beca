import { closeSync, existsSync, fstatSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import createIgnore, { type Ignore } from "ignore";
import { HeldFolder } from "./held-folder.ts";

/** What one .gitignore says of paths below its folder. */
interface Layer {
  /** Puts in front of a path below the root what leads to it from the folder of the .gitignore, or takes that away. */
  readonly from: (way: string) => string;
  readonly rules: Ignore;
}

/** In bytes; a larger .gitignore counts as none. Each path is held against each of its lines. */
const LARGEST = 128 * 1024;

/** A pattern with more `**` than that is left out: with each, the deeper a path is, the longer it takes by that factor. */
const MOST_STARS = 3;

/** Whether a pattern is none that is looked at. */
export function hasTooManyStars(line: string): boolean {
  return line.split("**").length > MOST_STARS + 1;
}

/** Rules as a .gitignore has them, a line each. Takes no longer than its length is worth, whoever wrote it. */
export function rulesOf(text: string): Ignore {
  const lines = text.split(/\r?\n/).filter((line) => !hasTooManyStars(line));
  return createIgnore().add(lines.join("\n"));
}

/** The rules of the .gitignore files on the way to a folder; a nearer one takes precedence. */
export class IgnoreRules {
  readonly #layers: readonly Layer[];

  private constructor(layers: readonly Layer[]) {
    this.#layers = layers;
  }

  /** The rules above `root`, up to the folder of its git repository; none where it is in no repository. */
  static above(root: string): IgnoreRules {
    const layers: Layer[] = [];
    for (let folder = root; !existsSync(join(folder, ".git")); ) {
      const parent = dirname(folder);
      if (parent === folder) return new IgnoreRules([]);
      folder = parent;
      const prefix = relative(folder, root).split(sep).join("/");
      layers.unshift({ from: (way) => `${prefix}/${way}`, rules: rulesOf(gitignoreAt(folder) ?? "") });
    }
    // A directory that is ignored itself was chosen all the same.
    return new IgnoreRules(layers.filter(({ from, rules }) => !rules.ignores(from(""))));
  }

  /** These rules and those of the .gitignore in `folder`, which `way` leads to from the root. */
  within(folder: HeldFolder, way: string): IgnoreRules {
    const text = gitignoreOf(folder);
    if (text === null) return this;
    const start = way === "" ? 0 : way.length + 1;
    return new IgnoreRules([...this.#layers, { from: (path) => path.slice(start), rules: rulesOf(text) }]);
  }

  /** Without the rules that ignore the folder `way`: who names it means it. */
  naming(way: string): IgnoreRules {
    if (way === "") return this;
    return new IgnoreRules(this.#layers.filter(({ from, rules }) => !rules.ignores(`${from(way)}/`)));
  }

  ignores(way: string, isFolder: boolean): boolean {
    for (const { from, rules } of this.#layers.toReversed()) {
      const { ignored, unignored } = rules.test(from(isFolder ? `${way}/` : way));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

/** Null also where the folder may not be read. */
function gitignoreAt(path: string): string | null {
  try {
    using folder = HeldFolder.open(path);
    return gitignoreOf(folder);
  } catch {
    return null;
  }
}

/** Null where it is no file: a pipe, or a link to a device, would be read for ever. */
function gitignoreOf(folder: HeldFolder): string | null {
  let handle: number;
  try {
    handle = folder.open(".gitignore");
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(handle);
    return stats.isFile() && stats.size <= LARGEST ? readFileSync(handle, "utf8") : null;
  } finally {
    closeSync(handle);
  }
}
