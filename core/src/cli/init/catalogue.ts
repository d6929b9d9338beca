import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { safeText } from "../../base/hidden-text.ts";
import { CORE_FOLDER } from "../../config/own-project.ts";
import type { PluginDescriptor } from "../../plugin/descriptor.ts";
import { installedPlugins, pluginsBeside } from "../../plugin/installed-plugins.ts";
import { type ImportModule, importModule as importNatively, loadPart } from "../../plugin/load-part.ts";
import { manifestOrNull, type PluginManifest } from "../../plugin/manifest.ts";
import type { PluginSetup } from "../../plugin/plugin-setup.ts";
import { pluginExport } from "../plugins/loaded-plugin.ts";
import { initUsage } from "./flags.ts";

/** A platform that can be set up, as far as it is known before its plugin is installed. */
export interface KnownPlatform {
  readonly platform: string;
  readonly package: string;
  readonly title: string;
  readonly summary: string;
}

/** A plugin whose set-up can be asked for. */
export interface LoadedPlugin extends KnownPlatform {
  readonly manifest: PluginManifest;
  readonly setup: PluginSetup;
  /** What its package exports for configs that are code. */
  readonly exportName: string;
  /** Makes what a config would have, of options that are not checked yet. */
  configure(options: Readonly<Record<string, unknown>>): PluginDescriptor;
}

/**
 * The official platforms, and those of other plugins that are installed with a set-up of their own. `folder`: where the
 * config is, or is going to be. Where its code may not be run yet, other plugins are named by their manifests alone.
 */
export async function knownPlatforms(folder: string, mayRunCode: boolean): Promise<readonly KnownPlatform[]> {
  const official = officialPlatforms();
  const manifests = [...installedPlugins(folder).flatMap(({ manifest }) => manifest ?? []), ...pluginsBeside(folder)];
  const others = new Map(
    manifests
      .filter((manifest) => manifest.setup !== null && official.every((one) => one.package !== manifest.package))
      .map((manifest) => [manifest.package, manifest]),
  );
  const found = [...others.values()].map(async (manifest): Promise<KnownPlatform[]> => {
    const { platform, package: name } = manifest;
    if (platform === null) return [];
    if (!mayRunCode) return [{ platform, package: name, title: platform, summary: safeText(name) }];
    try {
      const setup = await loadPart(manifest, "setup");
      if (setup === null) return [];
      return [{ platform, package: name, title: safeText(setup.title), summary: safeText(setup.summary) }];
    } catch {
      // What is wrong with it, `hermes plugins` tells.
      return [];
    }
  });
  return [...official, ...(await Promise.all(found)).flat()];
}

/** What stands in core's list; the plugins' own tests hold it to what they say of themselves. */
function officialPlatforms(): readonly KnownPlatform[] {
  return JSON.parse(readFileSync(join(CORE_FOLDER, "platforms.json"), "utf8")) as readonly KnownPlatform[];
}

/** Throws USAGE for one that there is not. */
export function platformNamed(name: string, known: readonly KnownPlatform[]): KnownPlatform {
  const found = known.find(({ platform }) => platform === name);
  if (found !== undefined) return found;
  throw initUsage(`There is no platform ${name}; there are ${known.map(({ platform }) => platform).join(", ")}`);
}

/** Null where the plugin is not installed as seen from `folder`. Throws PLUGIN_INVALID and what a manifest can have. */
export async function loadPlugin(
  known: KnownPlatform,
  folder: string,
  importModule: ImportModule = importNatively,
): Promise<LoadedPlugin | null> {
  const manifest = manifestOrNull(known.package, folder);
  if (manifest === null) return null;
  const invalid = (reason: string) => new HermesError("PLUGIN_INVALID", { package: known.package, reason });
  const setup = await loadPart(manifest, "setup", importModule);
  if (setup === null) throw invalid("it does not say what its set-up asks for; a newer version of it may");
  const exported = pluginExport(await importModule(manifest.main), known.platform);
  if (exported === null) throw invalid(`it exports no plugin for ${known.platform}`);
  const title = known.title === known.platform ? safeText(setup.title) : known.title;
  return { ...known, title, manifest, setup, ...exported };
}
