import type { LoadedConfig } from "../../config/config.ts";
import type { Host } from "../../host/host.ts";
import { installedPlugins } from "../../plugin/installed-plugins.ts";
import { type ImportModule, loadPart } from "../../plugin/load-part.ts";
import { manifestOrNull, type PluginManifest } from "../../plugin/manifest.ts";
import type { PluginCli, PluginCliContext } from "../../plugin/plugin-cli.ts";
import { pluginFolder } from "../../plugin/plugin-folder.ts";

export interface LoadedPluginCli {
  readonly cli: PluginCli;
  readonly context: Omit<PluginCliContext, "print">;
}

/**
 * The part of the terminal that a platform's plugin brings, configured or only installed; null when there is no such
 * plugin or it brings none. Throws PLUGIN_API_TOO_NEW, PLUGIN_API_TOO_OLD, PLUGIN_INVALID.
 */
export async function loadPluginCli(
  host: Pick<Host, "home" | "config" | "clock" | "ids">,
  platform: string,
  importModule?: ImportModule,
): Promise<LoadedPluginCli | null> {
  const { home, config, clock, ids } = host;
  const manifest = manifestFor(platform, config);
  const cli = manifest && (await loadPart(manifest, "cli", importModule));
  if (cli === null) return null;
  const configured = config.plugins.find(({ descriptor }) => descriptor.platform === platform);
  return {
    cli,
    context: {
      folder: pluginFolder(home, platform, configured?.options.account),
      options: configured?.options,
      clock,
      ids,
    },
  };
}

/** The manifest of the plugin for a platform, configured or only installed; null when there is none. */
export function manifestFor(platform: string, config: Pick<LoadedConfig, "plugins" | "folder">): PluginManifest | null {
  const configured = config.plugins.find(({ descriptor }) => descriptor.platform === platform);
  if (configured) return manifestOrNull(configured.descriptor.package, config.folder);
  const installed = installedPlugins(config.folder).map(({ manifest }) => manifest);
  return installed.find((manifest) => manifest?.platform === platform) ?? null;
}
