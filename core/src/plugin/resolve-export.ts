import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PackageJson } from "./package-json.ts";

const CONDITIONS = ["node", "import", "module-sync", "default"];

/**
 * The file behind a subpath (`.`, `./cli`) of a package, or null. Node resolves an import only from the file that
 * says it, which would be one of core rather than the config; so the package's `exports` are read here.
 */
export function resolveExport(folder: string, json: PackageJson, subpath: string): string | null {
  const target = json.exports === undefined ? withoutExports(json, subpath) : targetOf(json.exports, subpath);
  if (target === null) return null;
  const path = join(folder, target);
  const candidates = json.exports === undefined ? [path, `${path}.js`, join(path, "index.js")] : [path];
  return candidates.find((candidate) => /\.\w+$/.test(candidate) && existsSync(candidate)) ?? candidates[0] ?? null;
}

function withoutExports(json: PackageJson, subpath: string): string {
  if (subpath !== ".") return subpath;
  return typeof json.main === "string" ? json.main : "index.js";
}

function targetOf(exports: unknown, subpath: string): string | null {
  if (!isObject(exports)) return subpath === "." ? firstTarget(exports) : null;
  const hasSubpaths = Object.keys(exports).some((key) => key.startsWith("."));
  if (!hasSubpaths) return subpath === "." ? firstTarget(exports) : null;
  return firstTarget(exports[subpath]);
}

/** Of nested conditions the first that holds, in the order they are written, as Node does. */
function firstTarget(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(firstTarget).find((target) => target !== null) ?? null;
  if (!isObject(value)) return null;
  for (const [condition, inner] of Object.entries(value)) {
    const target = CONDITIONS.includes(condition) ? firstTarget(inner) : null;
    if (target !== null) return target;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
