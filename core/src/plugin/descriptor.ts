import type { PlatformAdapter } from "../adapter/adapter.ts";
import type { Identities } from "../adapter/identity.ts";
import { brandOf, hasBrand } from "../base/brand.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Redactor } from "../base/redact.ts";
import type { StandardSchema } from "../base/standard-schema.ts";
import { type Token, token } from "../base/tokens.ts";

/** The version of the plugin contract, and the only one that works here. A plugin names the one it was made for. */
export const PLUGIN_API_VERSION = 2;

/** What a plugin's function leaves in the config. Holds nothing that has to be loaded. */
export interface PluginDescriptor {
  /** The npm package, by which its manifest is found. */
  readonly package: string;
  readonly apiVersion: number;
  readonly platform: string;
  readonly schema: StandardSchema<unknown, unknown>;
  /** As they stand in the config; checked when the config is. */
  readonly options: unknown;
  /** Imports the platform's library and makes the adapter. Called whenever a gateway starts the plugin. */
  create(deps: PluginDeps): Promise<PlatformAdapter>;
}

/** What a plugin gets from its host. */
export interface PluginDeps<Options = unknown> {
  /** Checked, with defaults filled in. */
  readonly options: Options;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly scope: PluginScope;
  /** A folder of its own (mode 0700) for what it has to keep. */
  readonly folder: string;
  /** Takes secrets, and what looks like one, out of what people say before it is kept in that folder. */
  readonly redact: Redactor;
  /** The slash commands that work on a platform, for those that want them registered. */
  readonly commands: readonly CommandInfo[];
  /** Who is who on this account: for platforms that call one person by several ids. */
  readonly identities: Identities;
}

/** A slash command as people see it. */
export interface CommandInfo {
  readonly name: string;
  readonly description: string;
  /** Such as `[title|number]`; empty without an argument. */
  readonly argumentHint: string;
}

/** Owns everything that a plugin set going; disposing of it undoes it all. */
export interface PluginScope {
  readonly signal: AbortSignal;
  onDispose(undo: () => void | Promise<void>): void;
  /** A timer that ends with the plugin. What `run` throws is the plugin's failure, and nobody else's. */
  setTimer(delayMs: number, run: () => void | Promise<void>): Disposable;
}

export const PLATFORM_COMMANDS: Token<readonly CommandInfo[]> = token("platform-commands");

/** Options as code gives them: `process.env.NAME` may be unset, which the check of the config tells by name. */
type OrUnset<Input> = { [Key in keyof Input]: Input[Key] | undefined };

const PLUGIN_DESCRIPTOR = brandOf("PluginDescriptor");
const PLUGIN_FUNCTION = brandOf("PluginFunction");

/**
 * Makes the function that people call in their config.
 *
 * ```ts
 * export const acme = definePlugin({
 *   package: "hermes-plugin-acme",
 *   platform: "acme",
 *   apiVersion: 2,
 *   schema: z.object({ ...platformOptions, port: z.int().default(8765) }),
 *   create: async (deps) => new (await import("./adapter.js")).AcmeAdapter(deps),
 * });
 * ```
 */
export function definePlugin<Input, Output>(plugin: {
  readonly package: string;
  readonly platform: string;
  readonly apiVersion: number;
  readonly schema: StandardSchema<Input, Output>;
  readonly create: (deps: PluginDeps<Output>) => Promise<PlatformAdapter>;
}): (options?: OrUnset<Input>) => PluginDescriptor {
  const configure = (options?: OrUnset<Input>): PluginDescriptor => {
    const descriptor: PluginDescriptor = { ...plugin, options: options ?? {} };
    return Object.defineProperty(descriptor, PLUGIN_DESCRIPTOR, { value: true });
  };
  // Told by this among a module's exports, when a config names only the package.
  return Object.defineProperty(configure, PLUGIN_FUNCTION, { value: true });
}

export function isPluginDescriptor(value: unknown): value is PluginDescriptor {
  return hasBrand(value, PLUGIN_DESCRIPTOR);
}

/** Whether `value` is what `definePlugin` returned. */
export function isPluginFunction(value: unknown): value is (options?: unknown) => PluginDescriptor {
  return typeof value === "function" && Reflect.get(value, PLUGIN_FUNCTION) === true;
}
