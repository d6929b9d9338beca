import { HermesError } from "../../base/errors.ts";
import { isPluginDescriptor, isPluginFunction, type PluginDescriptor } from "../../plugin/descriptor.ts";
import { type ImportModule, importModule as importNatively } from "../../plugin/load-part.ts";
import { type PluginManifest, readManifest } from "../../plugin/manifest.ts";
import { pluginByName } from "../../plugin/resolve-plugin.ts";
import { isToolsDescriptor } from "../../plugin/tools-plugin.ts";

/** A plugin that is installed and was loaded. */
export interface LoadedPackage extends Pick<PluginManifest, "package" | "version" | "platform"> {
  /** By what name a config that is code imports its function. */
  readonly exportName: string;
}

/** Loads the plugin that a config in `folder` would find. Throws the PLUGIN_… error that says why it cannot. */
export async function loadPackage(
  name: string,
  folder: string,
  importModule: ImportModule = importNatively,
): Promise<LoadedPackage> {
  const manifest = readManifest(name, folder);
  const descriptor = await pluginByName(name, {}, folder, importModule);
  const platform = isToolsDescriptor(descriptor) ? null : descriptor.platform;
  const exported = pluginExport(await importModule(manifest.main), platform);
  if (exported === null) {
    throw new HermesError("PLUGIN_INVALID", { package: name, reason: "its function has no name to import it by" });
  }
  return { package: name, version: manifest.version, platform, exportName: exported.exportName };
}

/** The function for a platform, or for tools, that a module exports under a name; null where it exports none. */
export function pluginExport(
  module: unknown,
  platform: string | null,
): { readonly exportName: string; readonly configure: (options?: unknown) => PluginDescriptor } | null {
  const isMeant = (made: unknown) =>
    platform === null ? isToolsDescriptor(made) : isPluginDescriptor(made) && made.platform === platform;
  const found = Object.entries(Object(module) as object).flatMap(([exportName, value]) =>
    exportName !== "default" && isPluginFunction(value) && isMeant(value({}))
      ? { exportName, configure: value as (options?: unknown) => PluginDescriptor }
      : [],
  );
  return found.find(({ exportName }) => exportName === platform) ?? found[0] ?? null;
}
