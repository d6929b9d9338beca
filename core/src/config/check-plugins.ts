import type { Clock } from "../base/clock.ts";
import { HermesError, placedAt, reasonOf } from "../base/errors.ts";
import type { ConfiguredPlugin } from "../plugin/configured-plugin.ts";
import { isPluginDescriptor, isPluginFunction, type PluginDescriptor } from "../plugin/descriptor.ts";
import type { ImportModule } from "../plugin/load-part.ts";
import { manifestOrNull } from "../plugin/manifest.ts";
import { checkDescriptor, pluginByName } from "../plugin/resolve-plugin.ts";
import { type ConfiguredTools, isToolsDescriptor, type ToolsDescriptor } from "../plugin/tools-plugin.ts";
import { checkOptions, checkToolOptions } from "./check-options.ts";
import type { BrokenPlugin } from "./config.ts";
import { inTime } from "./in-time.ts";
import { keyPath } from "./key-path.ts";
import { describeValue, invalid } from "./problem.ts";

export interface PluginsRequest {
  readonly file: string;
  /** Where packages are looked for from. */
  readonly folder: string;
  readonly clock: Clock;
  readonly importModule: ImportModule;
  readonly isUnset: (key: string) => boolean;
}

export interface CheckedPlugins {
  readonly configured: readonly ConfiguredPlugin[];
  readonly tools: readonly ConfiguredTools[];
  /** Those that are not usable themselves. The others go on without them. */
  readonly broken: readonly BrokenPlugin[];
  /** What is wrong with the config. */
  readonly problems: readonly HermesError[];
}

/** The plugins of a config, each with its options checked, and what is wrong with any of them. */
export async function checkPlugins(entries: readonly unknown[], request: PluginsRequest): Promise<CheckedPlugins> {
  const { file } = request;
  const configured = new Map<string, ConfiguredPlugin>();
  const tools: ConfiguredTools[] = [];
  const broken: BrokenPlugin[] = [];
  const problems: HermesError[] = [];
  for (const [index, value] of entries.entries()) {
    const at = ["plugins", index];
    const entry = readEntry(value);
    if (entry === null) {
      problems.push(isPluginFunction(value) ? uncalled(file, at) : noPlugin(file, at, value));
      continue;
    }
    const key = keyPath(at);
    try {
      const descriptor = await descriptorOf(entry, request);
      checkDescriptor(descriptor, request.folder);
      if (isToolsDescriptor(descriptor)) {
        const { options, problems: found } = await checkToolOptions(descriptor, { ...request, at });
        problems.push(...found);
        if (found.length === 0) tools.push({ descriptor, options, key });
        continue;
      }
      const checked = await checkOptions(descriptor, { ...request, at });
      problems.push(...checked.problems);
      if (checked.options) configured.set(key, { descriptor, options: checked.options, key });
    } catch (thrown) {
      const error = placedAt(`${file}: ${key}`, asPluginError(thrown, entry.package));
      broken.push({ ...describeEntry(entry, request.folder), key, file, error });
    }
  }
  return {
    configured: [...configured.values()],
    tools,
    broken,
    problems: [...problems, ...duplicates(configured, file)],
  };
}

/** A plugin as the config has it. */
interface PluginEntry {
  /** What its function returned; null where it is only named. */
  readonly descriptor: PluginDescriptor | ToolsDescriptor | null;
  readonly package: string;
  readonly options: unknown;
}

/** Null for what is no plugin at all. */
function readEntry(value: unknown): PluginEntry | null {
  if (isPluginDescriptor(value) || isToolsDescriptor(value))
    return { descriptor: value, package: value.package, options: value.options };
  const [name, options = {}, ...rest]: unknown[] = Array.isArray(value) ? value : [value];
  if (typeof name !== "string" || typeof options !== "object" || rest.length > 0) return null;
  return { descriptor: null, package: name, options };
}

async function descriptorOf(entry: PluginEntry, request: PluginsRequest): Promise<PluginDescriptor | ToolsDescriptor> {
  if (entry.descriptor) return entry.descriptor;
  const { clock, folder, importModule } = request;
  return pluginByName(entry.package, entry.options, folder, (path) => inTime(clock, importModule(path)));
}

/** What is known of a plugin that cannot be asked. */
function describeEntry({ descriptor, package: name, options }: PluginEntry, folder: string) {
  const { account } = Object(options) as { account?: unknown };
  const manifest = manifestOrNull(name, folder);
  const isOfTools = isToolsDescriptor(descriptor) || manifest?.kind === "tools";
  return {
    package: name,
    ...(isOfTools ? { kind: "tools" as const } : {}),
    platform: isPluginDescriptor(descriptor) ? descriptor.platform : (manifest?.platform ?? null),
    account: typeof account === "string" ? account : null,
  };
}

function asPluginError(thrown: unknown, name: string): HermesError {
  if (thrown instanceof HermesError) return thrown;
  return new HermesError("PLUGIN_INVALID", { package: name, reason: reasonOf(thrown) }, { cause: thrown });
}

function uncalled(file: string, at: readonly unknown[]): HermesError {
  return invalid(file, at, "a plugin's function", "what it returns: `plugin({ … })`");
}

function noPlugin(file: string, at: readonly unknown[], value: unknown): HermesError {
  return invalid(file, at, describeValue(value, at), "a plugin, such as `plugin({ … })` or [name, options]");
}

/** Two plugins for one account would both answer there. */
function duplicates(configured: ReadonlyMap<string, ConfiguredPlugin>, file: string): HermesError[] {
  const first = new Map<string, ConfiguredPlugin>();
  const problems: HermesError[] = [];
  for (const [key, plugin] of configured) {
    const { platform, package: name } = plugin.descriptor;
    const { account } = plugin.options;
    const place = account === undefined ? platform : `${platform} (account ${account})`;
    const before = first.get(place);
    if (!before) first.set(place, plugin);
    else {
      const fields = { platform: place, first: before.descriptor.package, second: name };
      problems.push(new HermesError("PLUGIN_DUPLICATE", fields, { place: `${file}: ${key}` }));
    }
  }
  return problems;
}
