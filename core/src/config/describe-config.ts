import { secretsOfEnvironment } from "../base/proxy/proxy-settings.ts";
import { createRedactor, isSecretName, secretsIn } from "../base/redact.ts";
import { isPluginDescriptor } from "../plugin/descriptor.ts";
import { CORE_KEYS, type LoadedConfig } from "./config.ts";
import { lookalikesIn } from "./env-file.ts";
import { keyPath } from "./key-path.ts";
import type { RawConfig } from "./read-config.ts";
import { isPlain } from "./variables.ts";

/** A value of a config as it is used, for people. */
export interface ConfigValue {
  /** `plugins[0].homeChannel.chatId` */
  readonly key: string;
  /** Null where it is a secret. */
  readonly value: unknown;
  readonly isSecret: boolean;
  /** `file` is the config itself. */
  readonly from: "default" | "file" | ".env" | "environment";
  /** The variables that it comes from. */
  readonly variables: readonly string[];
}

/** What a config says itself, before variables and defaults are put in. */
export interface WrittenConfig extends RawConfig {
  /** The text of a config that is code. */
  readonly source: string;
}

/** Every value of a config that was loaded, defaults too, and where it comes from; secrets are left out. */
export function describeConfig(
  config: LoadedConfig,
  written: WrittenConfig,
  ambient: NodeJS.ProcessEnv,
): readonly ConfigValue[] {
  const environment = { ...config.variables, ...ambient };
  const secrets = [...secretsOfEnvironment(environment), ...lookalikesIn(config.variables)];
  const options = [...config.plugins.map(optionsOf), ...(config.toolPlugins ?? []).map(({ options }) => options)];
  const redact = createRedactor([...secrets, ...secretsIn(written.value), ...secretsIn(options)]);
  const inCode = written.isData ? [] : variablesIn(written.source, /process\.env(?:\.(\w+)|\[["'](\w+)["']\])/g);

  const describe = (key: string, value: unknown, source: unknown, isNamedSecret: boolean): ConfigValue => {
    const variables = variablesOf(value, source);
    const isSecret =
      value !== null &&
      (isNamedSecret || variables.some(isSecretName) || textsIn(value).some((text) => redact(text) !== text));
    const isOwn = variables.some((name) => ambient[name] !== undefined);
    const from = source === undefined ? "default" : variables.length === 0 ? "file" : isOwn ? "environment" : ".env";
    return { key, value: isSecret ? null : value, isSecret, from, variables };
  };
  const variablesOf = (value: unknown, source: unknown): string[] => {
    if (source === undefined) return [];
    // In code a value has lost where it came from; one that a variable holds, and that the code names, is that one's.
    if (!written.isData)
      return inCode.filter((name) => environment[name] && textsIn(value).includes(environment[name]));
    return textsIn(source).flatMap((text) => variablesIn(text, /(?<!\$)\$\{([A-Za-z_]\w*)\}/g));
  };
  const valuesAt = (
    path: readonly (string | number)[],
    value: unknown,
    source: unknown,
    isSecret: boolean,
  ): ConfigValue[] => {
    if (!isPlain(value) || Object.keys(value).length === 0)
      return value === undefined ? [] : [describe(keyPath(path), value, source, isSecret)];
    return Object.entries(value).flatMap(([key, inner]) => {
      // What a plugin made an object of stands in the config as a whole.
      const own = isPlain(source) ? source[key] : source;
      return valuesAt([...path, key], inner, own, isSecret || isSecretName(key));
    });
  };

  const own = Object.fromEntries(CORE_KEYS.map((key) => [key, config[key]]));
  const core = valuesAt([], own, Object(written.value), false);
  const entries = entriesIn(config, written);
  const plugins = config.plugins.flatMap(({ descriptor, options }, at) => {
    const { key, entry } = entries[at] ?? { key: at, entry: undefined };
    const source = isPluginDescriptor(entry) ? entry.options : (entry as unknown[] | undefined)?.[1];
    const name = describe(keyPath(["plugins", key]), descriptor.package, descriptor.package, false);
    return [name, ...valuesAt(["plugins", key], options, Object(source), false)];
  });
  return [...core, ...plugins];
}

/** The entries of the plugins that are usable, with their places. */
function entriesIn({ brokenPlugins }: LoadedConfig, { value }: WrittenConfig) {
  const { plugins } = Object(value) as { plugins?: unknown };
  const broken = new Set(brokenPlugins.map(({ key }) => key));
  const entries: unknown[] = Array.isArray(plugins) ? plugins : [];
  return entries
    .map((entry, key) => ({ key, entry: typeof entry === "string" ? [entry] : entry }))
    .filter(({ key }) => !broken.has(keyPath(["plugins", key])));
}

function optionsOf({ options }: LoadedConfig["plugins"][number]): unknown {
  return options;
}

function variablesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, first, second]) => first ?? second ?? ""))];
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
