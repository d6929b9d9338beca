import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { besideHermes } from "../plugin/manifest.ts";
import { packageFolder } from "../plugin/package-json.ts";
import { resolveExport } from "../plugin/resolve-export.ts";

/**
 * The modules of Hermes' packages for a config that is code and has none of them installed where it lies, by what an
 * import names: those beside Hermes, where a global install puts them.
 */
export function packagesBeside(file: string): Record<string, string> {
  const folder = dirname(file);
  const missing = [...besideHermes()].filter(([name]) => packageFolder(name, folder) === null);
  return Object.fromEntries(missing.flatMap(([name, folder]) => modulesOf(name, folder)));
}

function modulesOf(name: string, folder: string): (readonly [string, string])[] {
  const json = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly exports?: object };
  return Object.keys(json.exports ?? {}).flatMap((subpath) => {
    const path = subpath.includes("*") ? null : resolveExport(folder, json, subpath);
    return path === null ? [] : [[join(name, subpath), path] as const];
  });
}
