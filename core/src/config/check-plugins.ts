import { asHermesError, HermesError } from "../base/errors.ts";
import { isPluginDescriptor, isPluginFunction, type PluginDescriptor } from "../plugin/descriptor.ts";
import type { ImportModule } from "../plugin/import-module.ts";
import { checkDescriptor, pluginByName } from "../plugin/resolve-plugin.ts";
import { checkOptions } from "./check-options.ts";
import type { ConfiguredPlugin } from "./config.ts";
import { describeValue, invalid } from "./problem.ts";

export interface PluginsRequest {
  readonly file: string;
  /** Where packages are looked for from. */
  readonly folder: string;
  readonly importModule: ImportModule;
  readonly isUnset: (key: string) => boolean;
}

/** The plugins of a config, each with its options checked, and what is wrong with any of them. */
export async function checkPlugins(
  entries: readonly unknown[],
  request: PluginsRequest,
): Promise<{ readonly configured: readonly ConfiguredPlugin[]; readonly problems: readonly HermesError[] }> {
  const configured: ConfiguredPlugin[] = [];
  const problems: HermesError[] = [];
  for (const [index, entry] of entries.entries()) {
    const at = ["plugins", index];
    try {
      const descriptor = await descriptorOf(entry, at, request);
      checkDescriptor(descriptor, request.folder);
      const checked = await checkOptions(descriptor, { ...request, at });
      problems.push(...checked.problems);
      if (checked.options) configured.push({ descriptor, options: checked.options });
    } catch (error) {
      problems.push(asHermesError(error));
    }
  }
  return { configured, problems: [...problems, ...duplicates(configured)] };
}

async function descriptorOf(
  entry: unknown,
  at: readonly unknown[],
  request: PluginsRequest,
): Promise<PluginDescriptor> {
  if (isPluginDescriptor(entry)) return entry;
  const [name, options = {}, ...rest]: unknown[] = Array.isArray(entry) ? entry : [entry];
  if (typeof name === "string" && typeof options === "object" && rest.length === 0) {
    return pluginByName(name, options, request.folder, request.importModule);
  }
  if (isPluginFunction(entry))
    throw invalid(request.file, at, "a plugin's function", "what it returns: `plugin({ … })`");
  const wanted = "a plugin, such as `plugin({ … })` or [name, options]";
  throw invalid(request.file, at, describeValue(entry, at), wanted);
}

/** Two plugins for one account would both answer there. */
function duplicates(configured: readonly ConfiguredPlugin[]): HermesError[] {
  const first = new Map<string, ConfiguredPlugin>();
  const problems: HermesError[] = [];
  for (const plugin of configured) {
    const { platform, package: name } = plugin.descriptor;
    const { account } = plugin.options;
    const place = account === undefined ? platform : `${platform} (account ${account})`;
    const before = first.get(place);
    if (!before) first.set(place, plugin);
    else {
      const fields = { platform: place, first: before.descriptor.package, second: name };
      problems.push(new HermesError("PLUGIN_DUPLICATE", fields));
    }
  }
  return problems;
}
