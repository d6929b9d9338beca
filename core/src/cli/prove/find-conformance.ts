import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";
import { isOwnFile } from "../../config/own-project.ts";
import { whyUnfit } from "../../config/trusted-folders.ts";
import { installedFolder } from "../../plugin/manifest.ts";
import { type PackageJson, packageJsonIn } from "../../plugin/package-json.ts";
import { resolveExport } from "../../plugin/resolve-export.ts";

/** The module that exports a package's conformance subject. */
export interface Conformance {
  readonly file: string;
  readonly package: { readonly name: string; readonly version: string | null };
}

/**
 * Finds what `hermes prove` is for: a folder in a package, a subject's own file, or the name of an installed package.
 * Throws PROVE_PATH_MISSING, PROVE_NO_ADAPTER, PROVE_NO_SUBJECT, PROVE_SUBJECT_MISSING, FOLDER_UNFIT_FOR_TRUST.
 */
export function findConformance(path: string, workingDirectory: string): Conformance {
  const at = locate(path, workingDirectory);
  if (at === null) throw new HermesError("PROVE_PATH_MISSING", { path });
  const isFile = statSync(at).isFile();
  const start = isFile ? dirname(at) : at;
  const folder = [...upwardsFrom(start)].find((one) => packageJsonIn(one) !== null) ?? start;
  const json = packageJsonIn(folder) ?? {};
  checkOwn(folder, join(folder, "package.json"));
  const about = {
    name: typeof json.name === "string" ? json.name : folder,
    version: typeof json.version === "string" ? json.version : null,
  };
  if (isFile) {
    checkOwn(start, at);
    return { file: at, package: about };
  }
  const { conformance, kind } = Object(json.hermes) as { conformance?: unknown; kind?: unknown };
  if (kind === "tools") throw new HermesError("PROVE_NO_ADAPTER", { package: about.name });
  if (typeof conformance !== "string") throw new HermesError("PROVE_NO_SUBJECT", { folder });
  const file = placesOf(conformance, start, folder, json).find((place) => existsSync(place));
  if (file === undefined) throw new HermesError("PROVE_SUBJECT_MISSING", { package: about.name, file: conformance });
  checkOwn(dirname(file), file);
  return { file, package: about };
}

/**
 * What is proved is run: nobody else may have put it there, such as into a folder above one's own. Throws
 * FOLDER_UNFIT_FOR_TRUST.
 */
export function checkOwn(folder: string, file: string): void {
  const real = realpathSync(folder);
  const isOwn = [real, file].every((one) => !existsSync(one) || isOwnFile(one));
  const reason = isOwn ? whyUnfit(real) : "it belongs to somebody else";
  if (reason !== null) throw new HermesError("FOLDER_UNFIT_FOR_TRUST", { folder: real, reason });
}

/**
 * Where the named subject may lie: compiled in a folder of the package that was asked about (`./dist`), as the manifest
 * says, and compiled beside the main module, as it is published.
 */
function placesOf(named: string, start: string, folder: string, json: PackageJson): string[] {
  const compiled = named.replace(/\.([cm]?)tsx?$/, ".$1js");
  const main = resolveExport(folder, json, ".");
  const published = main === null ? [] : [...upwardsFrom(dirname(main))].filter((at) => at.startsWith(folder));
  const below = start === folder ? [] : [join(start, compiled)];
  return [...below, join(folder, named), ...published.map((at) => join(at, compiled))];
}

function locate(path: string, workingDirectory: string): string | null {
  const here = resolve(workingDirectory, path);
  if (existsSync(here)) return realpathSync(here);
  return installedFolder(path, workingDirectory);
}
