import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A path of a picture or PDF in a line that a person typed, or dropped into it. */
export interface PathInLine {
  /** As it stands in the line, such as `@shot.png` or `'/tmp/my shot.png'`. */
  readonly written: string;
  /** Absolute. */
  readonly path: string;
  /** Whether its ending is that of a picture or PDF; otherwise only what is in it can tell. */
  readonly hasEnding: boolean;
}

const ENDING = /\.(?:png|jpe?g|jfif|gif|webp|pdf)$/i;

/**
 * A quoted text, or one in which a backslash stands before what would end it, as terminals write a file that is
 * dropped.
 */
const WORD = /(?<=^|\s)(@)?(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|((?:[^\s"'\\]|\\.)(?:[^\s\\]|\\.)*))/g;

/**
 * Finds what a line names that may be a picture or PDF: any `@path` from `directory`, and an absolute path, `~/…` or
 * `file:` address with the ending of one, as a terminal writes a file that is dropped into it. In a text of several
 * lines, which was pasted mostly, an `@` has to stand before the path. Opens nothing.
 */
export function pathsInLine(line: string, directory: string | null): PathInLine[] {
  const isOneLine = !line.trim().includes("\n");
  const found = [...line.matchAll(WORD)].flatMap(([written, at, quoted, single, bare]): PathInLine[] => {
    const named = single ?? (quoted ?? bare ?? "").replaceAll(/\\(.)/g, "$1");
    // A sign behind it may belong to the sentence.
    const names = [...new Set([named, named.replace(/[.,;:!?)\]}'’”]+$/, "")])];
    const sure = names.find((one) => ENDING.test(one));
    const meant = sure !== undefined ? [sure] : at === undefined ? [] : names.filter((one) => one !== "");
    return meant.flatMap((name) => {
      const path = toPath(name);
      if (path === null || (at === undefined && (!isOneLine || !isAbsolute(path)))) return [];
      if (!isAbsolute(path) && directory === null) return [];
      return [{ written, path: resolve(directory ?? "/", path), hasEnding: sure !== undefined }];
    });
  });
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

function toPath(name: string): string | null {
  if (name.startsWith("~/")) return resolve(homedir(), name.slice(2));
  if (!name.startsWith("file://")) return name;
  try {
    return fileURLToPath(name);
  } catch {
    return null;
  }
}
