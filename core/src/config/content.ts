import { readdirSync } from "node:fs";
import { basename, extname } from "node:path";
import { readPlainFile } from "../base/plain-file.ts";

/** What can be imported beside a config. */
export const CODE_ENDINGS = [".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"];

/**
 * What stands at a place that a config may run or read; null where there is nothing. `<file>`, `<folder>/` (the names of
 * the code and the folders in it) and `<package.json>#<key>`: the rest of a package.json changes with each package that
 * is installed.
 */
export function contentOf(place: string): string | null {
  if (place.endsWith("/")) return namesIn(place);
  const [file = "", key] = place.split(/#(?=hermes$|imports$|exports$)/);
  try {
    const text = readPlainFile(file);
    if (key === undefined) return text;
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[key];
    return value === undefined ? null : JSON.stringify(value, null, 2);
  } catch {
    return null;
  }
}

/** The place of a config's content: its file, or of a package.json what the config is in it. */
export function placeOfConfig(file: string): string {
  return basename(file) === "package.json" ? `${file}#hermes` : file;
}

function namesIn(folder: string): string | null {
  const code = codeFilesIn(folder);
  return code && [...code, ...foldersIn(folder).map((name) => `${name}/`)].join("\n");
}

/** The names of the folders in a folder that code of its own may lie in; none where there is no such folder. */
export function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** The names of the code in a folder; null where there is no such folder. */
export function codeFilesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder)
      .filter((name) => CODE_ENDINGS.includes(extname(name)))
      .sort();
  } catch {
    return null;
  }
}
