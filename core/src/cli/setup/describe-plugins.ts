import { asHermesError, type HermesError } from "../../base/errors.ts";
import type { LoadedConfig } from "../../config/config.ts";
import { installedPlugins } from "../../plugin/installed-plugins.ts";
import { checkApiVersion, type PluginManifest, readManifest } from "../../plugin/manifest.ts";

/** A plugin for the list of `hermes plugins`. */
export interface PluginDescription {
  readonly package: string;
  readonly version: string | null;
  readonly kind: "platform" | "tools";
  /** Null for one that brings tools, and when its manifest cannot be read. */
  readonly platform: string | null;
  readonly account: string | null;
  readonly isInstalled: boolean;
  readonly isConfigured: boolean;
  readonly problem: HermesError | null;
}

/**
 * The plugins that are configured, in the config's order, those of them that cannot be used, and then those that are
 * only installed. Does not run them.
 */
export function describePlugins(
  config: Pick<LoadedConfig, "plugins" | "toolPlugins" | "brokenPlugins" | "folder">,
): PluginDescription[] {
  const configured = config.plugins.map(({ descriptor, options }): PluginDescription => {
    const { manifest, problem } = manifestOf(descriptor.package, config.folder);
    return {
      package: descriptor.package,
      version: manifest?.version ?? null,
      kind: "platform",
      platform: descriptor.platform,
      account: options.account ?? null,
      isInstalled: manifest !== null,
      isConfigured: true,
      // One that is written beside the config is installed nowhere, and right as it is.
      problem: problem?.code === "PLUGIN_NOT_FOUND" ? null : problem,
    };
  });
  const ofTools = (config.toolPlugins ?? []).map(({ descriptor }): PluginDescription => {
    const { manifest, problem } = manifestOf(descriptor.package, config.folder);
    return {
      ...{ package: descriptor.package, version: manifest?.version ?? null, kind: "tools" },
      ...{ platform: null, account: null, isInstalled: manifest !== null, isConfigured: true },
      problem: problem?.code === "PLUGIN_NOT_FOUND" ? null : problem,
    };
  });
  const broken = config.brokenPlugins.map(({ package: name, kind, platform, account, error }): PluginDescription => {
    const { manifest } = manifestOf(name, config.folder);
    return {
      package: name,
      version: manifest?.version ?? null,
      kind: kind ?? "platform",
      platform,
      account,
      isInstalled: manifest !== null,
      isConfigured: true,
      problem: error,
    };
  });
  const names = new Set([...configured, ...ofTools, ...broken].map((plugin) => plugin.package));
  const others = installedPlugins(config.folder).filter((plugin) => !names.has(plugin.package));
  return [
    ...configured,
    ...ofTools,
    ...broken,
    ...others.map(({ package: name, manifest, problem }) => ({
      package: name,
      version: manifest?.version ?? null,
      kind: manifest?.kind ?? "platform",
      platform: manifest?.platform ?? null,
      account: null,
      isInstalled: true,
      isConfigured: false,
      problem: problem ?? apiProblem(manifest),
    })),
  ];
}

function manifestOf(
  name: string,
  folder: string,
): { readonly manifest: PluginManifest | null; readonly problem: HermesError | null } {
  try {
    const manifest = readManifest(name, folder);
    return { manifest, problem: apiProblem(manifest) };
  } catch (error) {
    return { manifest: null, problem: asHermesError(error) };
  }
}

function apiProblem(manifest: PluginManifest | null): HermesError | null {
  try {
    if (manifest) checkApiVersion(manifest);
    return null;
  } catch (error) {
    return asHermesError(error);
  }
}
