import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { besideHermes } from "../plugin/manifest.ts";
import { resolveExport } from "../plugin/resolve-export.ts";
import { CORE_FOLDER } from "./own-project.ts";

/**
 * The modules of Hermes' packages for a config that is code and has none of them installed where it lies, by what an
 * import names: those beside Hermes, where a global install puts them.
 */
export function packagesBeside(file: string): Record<string, string> {
  const require = createRequire(file);
  const modules = dirname(dirname(CORE_FOLDER));
  return Object.fromEntries(besideHermes().flatMap((name) => (isFound(name, require) ? [] : modulesOf(name, modules))));
}

function isFound(name: string, require: NodeJS.Require): boolean {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

function modulesOf(name: string, modules: string): (readonly [string, string])[] {
  const folder = join(modules, name);
  const json = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly exports?: object };
  return Object.keys(json.exports ?? {}).flatMap((subpath) => {
    const path = subpath.includes("*") ? null : resolveExport(folder, json, subpath);
    return path === null ? [] : [[join(name, subpath), path] as const];
  });
}
