import { readdirSync } from "node:fs";
import { join } from "node:path";
import { asHermesError, type HermesError } from "../base/errors.ts";
import { upwardsFrom } from "../base/upwards-from.ts";
import { besideHermes, manifestOrNull, type PluginManifest, readManifest } from "./manifest.ts";
import { dependenciesIn, packageJsonIn } from "./package-json.ts";

/** A plugin among the dependencies of a project. */
export interface InstalledPlugin {
  readonly package: string;
  /** Null when there is a problem. */
  readonly manifest: PluginManifest | null;
  readonly problem: HermesError | null;
}

/**
 * The plugins among the dependencies of the project that `folder` lies in, and those beside a Hermes that is installed
 * globally. Runs nothing of them.
 */
export function installedPlugins(folder: string): InstalledPlugin[] {
  return [...new Set([...dependenciesOf(folder), ...besideHermes().keys()])].flatMap((name): InstalledPlugin[] => {
    try {
      const manifest = readManifest(name, folder);
      return manifest.isPlugin ? [{ package: name, manifest, problem: null }] : [];
    } catch (error) {
      const problem = asHermesError(error);
      // Most dependencies are no plugins, and one that is not installed may be none.
      const isOther = problem.code === "PLUGIN_NO_MANIFEST" || problem.code === "PLUGIN_NOT_FOUND";
      return isOther ? [] : [{ package: name, manifest: null, problem }];
    }
  });
}

/** The plugins that are installed beside the package in `folder`, as with a Hermes that belongs to no project. */
export function pluginsBeside(folder: string): PluginManifest[] {
  const names = [...upwardsFrom(folder)].flatMap((parent) => packagesIn(join(parent, "node_modules")));
  return [...new Set(names)].sort().flatMap((name) => {
    const manifest = manifestOrNull(name, folder);
    return manifest?.isPlugin ? [manifest] : [];
  });
}

function packagesIn(folder: string): string[] {
  return namesIn(folder).flatMap((name) =>
    name.startsWith("@") ? namesIn(join(folder, name)).map((inScope) => `${name}/${inScope}`) : name,
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
}

function dependenciesOf(folder: string): string[] {
  for (const current of upwardsFrom(folder)) {
    if (packageJsonIn(current) !== null) return Object.keys(dependenciesIn(current)).sort();
  }
  return [];
}
