import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";
import { packageFolder } from "../../plugin/package-folder.ts";
import { packageJsonIn } from "../../plugin/package-json.ts";

/** The module that exports a package's conformance subject. */
export interface Conformance {
  readonly file: string;
  readonly package: { readonly name: string; readonly version: string | null };
}

/**
 * Finds what `hermes prove` is for: a folder in a package, a subject's own file, or the name of an installed package.
 * Throws PROVE_PATH_MISSING, PROVE_NO_SUBJECT.
 */
export function findConformance(path: string, workingDirectory: string): Conformance {
  const at = locate(path, workingDirectory);
  if (at === null) throw new HermesError("PROVE_PATH_MISSING", { path });
  const isFile = statSync(at).isFile();
  const start = isFile ? dirname(at) : at;
  const folder = [...upwardsFrom(start)].find((one) => packageJsonIn(one) !== null) ?? start;
  const json = packageJsonIn(folder) ?? {};
  const about = {
    name: typeof json.name === "string" ? json.name : folder,
    version: typeof json.version === "string" ? json.version : null,
  };
  if (isFile) return { file: at, package: about };
  const { conformance } = Object(json.hermes) as { conformance?: unknown };
  if (typeof conformance !== "string") throw new HermesError("PROVE_NO_SUBJECT", { folder });
  return { file: join(folder, conformance), package: about };
}

function locate(path: string, workingDirectory: string): string | null {
  const here = resolve(workingDirectory, path);
  if (existsSync(here)) return realpathSync(here);
  return packageFolder(path, workingDirectory);
}
