import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HermesError, reasonOf } from "../base/errors.ts";
import { isPluginDescriptor, isPluginFunction, type PluginDescriptor } from "./descriptor.ts";
import type { ImportModule } from "./load-part.ts";
import { checkApiVersion, isPlatformName, type PluginManifest, readManifest } from "./manifest.ts";
import { isToolsDescriptor, type ToolsDescriptor } from "./tools-plugin.ts";

/**
 * The plugin that a config names by its package, or by the path of a module beside the config. Throws the PLUGIN_…
 * error that says why there is none.
 */
export async function pluginByName(
  name: string,
  options: unknown,
  folder: string,
  importModule: ImportModule,
): Promise<PluginDescriptor | ToolsDescriptor> {
  const isPath = name.startsWith(".");
  const manifest = isPath ? null : readManifest(name, folder);
  // Before anything of it runs.
  if (manifest) checkApiVersion(manifest);
  const module = manifest?.main ?? resolve(folder, name);
  if (isPath && !existsSync(module)) throw new HermesError("PLUGIN_NOT_FOUND", { package: name, tried: module });

  const exported = await importModule(module).catch((error: unknown) => {
    throw failedImport(name, error);
  });
  const made = configured(name, exported, options);
  const fitting = manifest ? made.filter((descriptor) => platformOf(descriptor) === manifest.platform) : made;
  const [descriptor] = fitting;
  if (descriptor === undefined) throw noneExported(name, manifest, made);
  return descriptor;
}

/**
 * Checks that a plugin fits this Hermes and is what its manifest says, where it is installed from `folder`; one that
 * is written beside the config has none. Throws PLUGIN_API_TOO_NEW, PLUGIN_API_TOO_OLD, PLUGIN_INVALID.
 */
export function checkDescriptor(descriptor: PluginDescriptor | ToolsDescriptor, folder: string): void {
  const { package: name } = descriptor;
  const platform = platformOf(descriptor);
  checkApiVersion(descriptor);
  const invalid = (reason: string) => new HermesError("PLUGIN_INVALID", { package: name, reason });
  if (platform !== null && !isPlatformName(platform))
    throw invalid(`${JSON.stringify(platform)} cannot be the name of a platform`);
  const manifest = installedManifest(name, folder);
  if (manifest === null) return;
  checkApiVersion(manifest);
  if (manifest.platform !== platform) {
    throw invalid(`its manifest names ${partOf(manifest.platform)}, its code ${partOf(platform)}`);
  }
}

/** Null for a plugin of tools. */
function platformOf(descriptor: PluginDescriptor | ToolsDescriptor): string | null {
  return isToolsDescriptor(descriptor) ? null : descriptor.platform;
}

function partOf(platform: string | null): string {
  return platform === null ? "tools" : `the platform ${platform}`;
}

/** Null where it is not installed. */
function installedManifest(name: string, folder: string): PluginManifest | null {
  try {
    return readManifest(name, folder);
  } catch (error) {
    if (error instanceof HermesError && error.code === "PLUGIN_NOT_FOUND") return null;
    throw error;
  }
}

/** What the plugins' functions among a module's exports return. Whatever they throw is the plugin's fault. */
function configured(name: string, exported: unknown, options: unknown): (PluginDescriptor | ToolsDescriptor)[] {
  try {
    return Object.values(Object(exported))
      .filter(isPluginFunction)
      .map((configure) => configure(options))
      .filter((made) => isPluginDescriptor(made) || isToolsDescriptor(made));
  } catch (error) {
    const reason = `it could not be configured: ${reasonOf(error)}`;
    throw new HermesError("PLUGIN_INVALID", { package: name, reason }, { cause: error });
  }
}

function failedImport(name: string, error: unknown): HermesError {
  return new HermesError(
    "PLUGIN_INVALID",
    { package: name, reason: `importing it failed: ${reasonOf(error)}` },
    { cause: error },
  );
}

function noneExported(
  name: string,
  manifest: PluginManifest | null,
  made: readonly (PluginDescriptor | ToolsDescriptor)[],
): HermesError {
  const others = made.map((descriptor) => platformOf(descriptor) ?? "tools").join(", ");
  const wanted = manifest ? ` for ${manifest.platform ?? "tools"}` : "";
  const reason = `it exports no plugin${wanted}${others && `, only for ${others}`}`;
  return new HermesError("PLUGIN_INVALID", { package: name, reason });
}
