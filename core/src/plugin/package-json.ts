import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { readPlainFile } from "../base/plain-file.ts";
import { upwardsFrom } from "../base/upwards-from.ts";

/** What Hermes reads of a package.json, whoever wrote it. */
export interface PackageJson {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly main?: unknown;
  readonly exports?: unknown;
  readonly keywords?: unknown;
  readonly hermes?: unknown;
  readonly packageManager?: unknown;
  readonly workspaces?: unknown;
  readonly dependencies?: unknown;
  readonly devDependencies?: unknown;
  readonly optionalDependencies?: unknown;
  readonly peerDependencies?: unknown;
}

/** Reads the package.json in a folder; null if it is missing or unreadable. */
export function packageJsonIn(folder: string): PackageJson | null {
  try {
    return Object(JSON.parse(readPlainFile(join(folder, "package.json")))) as PackageJson;
  } catch {
    return null;
  }
}

/** What the package.json in a folder depends on: names, with the versions that it wants. */
export function dependenciesIn(folder: string): Readonly<Record<string, string>> {
  const json = packageJsonIn(folder);
  return { ...Object(json?.devDependencies), ...Object(json?.optionalDependencies), ...Object(json?.dependencies) };
}

/**
 * The package.json that Node reads for a file in `folder`, where it is no ordinary file; null where it is one, or there is
 * none. Node opens whatever lies there: a named pipe holds the process up for ever, deaf to signals.
 */
export function unreadablePackage(folder: string): string | null {
  for (const above of upwardsFrom(folder)) {
    const path = join(above, "package.json");
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found !== undefined) return found.isFile() ? null : path;
    } catch {
      // A link to itself, or a folder that nobody may look into.
      return path;
    }
  }
  return null;
}

/** The folder of the package that an import from `folder` would find; null where it would find none. */
export function packageFolder(name: string, folder: string): string | null {
  if (unreadablePackage(folder) !== null) return null;
  try {
    return dirname(createRequire(join(folder, "hermes.js")).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
