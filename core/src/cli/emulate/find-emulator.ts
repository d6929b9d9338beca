import { dirname } from "node:path";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";
import { type ConfigRequest, findConfig } from "../../config/find-config.ts";
import { CORE_FOLDER, mayRunCodeOf } from "../../config/own-project.ts";
import { installedPlugins, pluginsBeside } from "../../plugin/installed-plugins.ts";
import { type ImportModule, importModule as importNatively } from "../../plugin/load-part.ts";
import { checkApiVersion, manifestOrNull, ownManifest, type PluginManifest } from "../../plugin/manifest.ts";
import { type EmulatorModule, type EmulatorPackage, importEmulatorPackage } from "./emulator-package.ts";

export interface FoundEmulator {
  readonly serve: EmulatorPackage["serveEmulator"];
  readonly module: EmulatorModule;
  /** The package that brings it. */
  readonly package: string;
}

/**
 * The emulator that a plugin brings for a platform: the project itself, one that it depends on, else one beside Hermes. A
 * config that cannot be used is passed over: it may want tokens that nobody has yet. Throws PLUGIN_NO_EMULATOR,
 * PLUGIN_API_TOO_NEW, PLUGIN_API_TOO_OLD, PLUGIN_INVALID, PLUGIN_NEEDS_PACKAGE.
 */
export async function findEmulator(
  platform: string,
  request: ConfigRequest,
  importModule: ImportModule = importNatively,
): Promise<FoundEmulator> {
  // Whoever can put a plugin there can change Hermes itself.
  const besideHermes = () => pluginsBeside(CORE_FOLDER);
  const folder = projectFolder(request);
  const installed = folder === null ? [] : pluginsIn(folder);
  const manifest =
    installed.find(isFor(platform)) ??
    (await configured(request)).find(isFor(platform)) ??
    besideHermes().find(isFor(platform));
  if (manifest?.emulator == null) {
    const known = [...installed, ...besideHermes()].flatMap((one) => (one.emulator === null ? [] : one.platform));
    throw new HermesError("PLUGIN_NO_EMULATOR", {
      ...{ platform, known: [...new Set(known)].join(", ") || "none" },
      folder: folder ?? request.workingDirectory,
    });
  }
  checkApiVersion(manifest);
  // First, since the plugin's emulator imports it too.
  const { serveEmulator } = await importEmulatorPackage(manifest.emulator, manifest.package, importModule);
  const module = await load(manifest, manifest.emulator, importModule);
  return { serve: serveEmulator, module, package: manifest.package };
}

/** The plugins of a project: the package itself, for whoever writes one there, and those that it depends on. */
function pluginsIn(folder: string): PluginManifest[] {
  const own = ownManifest(folder);
  const others = installedPlugins(folder).flatMap(({ manifest }) => manifest ?? []);
  return own?.isPlugin ? [own, ...others] : others;
}

function isFor(platform: string) {
  return (one: PluginManifest) => one.platform === platform && one.emulator !== null;
}

/** The plugins that the config names, where it can be used: they need not be the project's dependencies. */
async function configured(request: ConfigRequest): Promise<PluginManifest[]> {
  const { loadConfig } = await import("../../config/load-config.ts");
  try {
    const { plugins, folder } = await loadConfig(request);
    return plugins.flatMap(({ descriptor }) => manifestOrNull(descriptor.package, folder) ?? []);
  } catch {
    return [];
  }
}

/** Where plugins are installed: the config's folder, else a folder around this one whose code may be run; or nowhere. */
function projectFolder(request: ConfigRequest): string | null {
  const { file } = findConfig(request);
  if (file !== null) return dirname(file);
  for (const folder of upwardsFrom(request.workingDirectory)) {
    if (mayRunCodeOf(folder, request.home)) return folder;
  }
  return null;
}

async function load(manifest: PluginManifest, path: string, importModule: ImportModule): Promise<EmulatorModule> {
  const invalid = (reason: string, cause?: unknown) =>
    new HermesError("PLUGIN_INVALID", { package: manifest.package, reason }, { cause });
  const module = await importModule(path).catch((error: unknown) => {
    throw invalid(`importing its emulator failed: ${reasonOf(error)}`, error);
  });
  if (!isEmulatorModule(module)) throw invalid("its emulator exports no startEmulator");
  return module;
}

function isEmulatorModule(module: unknown): module is EmulatorModule {
  return typeof Object(module).startEmulator === "function";
}
