import type { Answers } from "./answers.ts";
import { WAYS } from "./answers.ts";

/** The parts of the template that an answer leaves in. */
export type Parts = Pick<Answers, "receive" | "threads" | "edits">;

/** Files that belong to one part. */
const FILES_OF_PARTS: Readonly<Record<string, "threads" | "edits">> = { "src/threads.ts": "threads" };

/** npm leaves a .gitignore out of what it packs, and reads another package's manifest within a package as its own. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore", "manifest.json": "package.json" };

/** A line that begins a part (`// #if threads`) or ends it (`// #end`), in whatever comments the file has. */
const MARK = /^\s*(?:\/\/|#|<!--) #(?:if (?<part>\w+)|end)(?: -->)?$/;

/** A file that there is once for each way: `receive.polling.ts`. */
const BY_WAY = new RegExp(`\\.(${WAYS.join("|")})(?=\\.ts\\b)`, "g");

/** The name of a file of the template in the package; null for one that the answers leave out. */
export function fileOf(file: string, parts: Parts): string | null {
  const [, way] = new RegExp(BY_WAY.source).exec(file) ?? [];
  if (way !== undefined && way !== parts.receive) return null;
  const part = FILES_OF_PARTS[file];
  if (part !== undefined && !parts[part]) return null;
  return RENAMED[file] ?? file.replace(BY_WAY, "");
}

/** The text of a file with the parts that the answers leave in. */
export function textOf(text: string, parts: Parts): string {
  const kept: string[] = [];
  let isLeftOut = false;
  for (const line of text.split("\n")) {
    const mark = MARK.exec(line);
    if (mark === null) {
      if (!isLeftOut) kept.push(line);
    } else {
      const { part } = mark.groups ?? {};
      isLeftOut = part !== undefined && !isIn(part, parts);
    }
  }
  return kept.join("\n").replace(BY_WAY, "");
}

function isIn(part: string, parts: Parts): boolean {
  if (part === "threads" || part === "edits") return parts[part];
  if (WAYS.some((way) => way === part)) return part === parts.receive;
  throw new Error(`the template has no part that is called ${part}`);
}
