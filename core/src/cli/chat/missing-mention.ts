import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isTextFile } from "../../adapter/attachments.ts";
import { nearMiss } from "../../base/near-miss.ts";
import { oneLine } from "../../base/one-line.ts";
import { pathsInLine } from "../../files/paths-in-line.ts";
import { mediaTypeOfName } from "../../tools/media-type-of-name.ts";
import { filesIn } from "./complete-mention.ts";

/** What may stand behind a path and belongs to the sentence. */
export const BEHIND_PATH = /[.,;:!?)\]}'’”]+$/;

/**
 * What is said of a mention that names no file of the session's folder; null for what is no path by its looks, such as
 * `@ada`, `@Injectable()` or `@types/node`. `home`: Hermes' home, whose files are not offered.
 */
export async function missingMention(mention: string, directory: string, home: string): Promise<string | null> {
  const path = mention.replace(BEHIND_PATH, "");
  if (!looksLikePath(path, directory)) return null;
  const shown = oneLine(path);
  if (pathsInLine(`@"${path}"`, directory).some((one) => existsSync(one.path))) {
    return `@${shown} is only named: it is outside of the session's folder.`;
  }
  const meant = nearestFile(await filesIn(directory, home), path);
  const hint = meant === null ? "" : ` Did you mean @${oneLine(meant)}?`;
  return `There is no file ${shown} here: the message goes without it.${hint}`;
}

function looksLikePath(path: string, directory: string): boolean {
  // A decorator with its arguments, or an address.
  if (path === "" || /[()<>{}=@]/.test(path)) return false;
  if (/\s|^(?:~|\.{1,2})?\//.test(path) || hasFileEnding(path)) return true;
  const [first = "", second] = path.split("/");
  return second !== undefined && statSync(join(directory, first), { throwIfNoEntry: false })?.isDirectory() === true;
}

function hasFileEnding(name: string): boolean {
  const isBinary = /\.(?:png|jpe?g|jfif|gif|webp|pdf)$/i.test(name) || mediaTypeOfName(name) !== mediaTypeOfName("");
  return isBinary || isTextFile({ name, mediaType: "", size: 0 });
}

/** The file that was probably meant: by its path, else by its name alone. */
function nearestFile(files: readonly string[], path: string): string | null {
  const isNear = (name: string, typed: string) => Math.abs(name.length - typed.length) <= 2;
  const meant = nearMiss(
    path,
    files.filter((one) => isNear(one, path)),
  );
  if (meant !== null) return meant;
  const nameOf = (one: string) => one.slice(one.lastIndexOf("/") + 1);
  const name = nameOf(path);
  const byName = new Map(files.filter((one) => isNear(nameOf(one), name)).map((one) => [nameOf(one), one]));
  return byName.get(byName.has(name) ? name : (nearMiss(name, [...byName.keys()]) ?? "")) ?? null;
}
