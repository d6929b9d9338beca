import type { PlatformAdapter } from "../adapter/adapter.ts";
import type { Identities } from "../adapter/identity.ts";
import { brandOf, hasBrand } from "../base/brand.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Redactor } from "../base/redact.ts";
import type { StandardSchema } from "../base/standard-schema.ts";
import { type Token, token } from "../base/tokens.ts";
import type { OperatorOverview } from "./operator-overview.ts";
import type { VisibleSessions } from "./visible-sessions.ts";

/** Version of the plugin contract. A plugin names the one it was built for; no other works here. */
export const PLUGIN_API_VERSION = 2;

/** What a plugin's function returns to the config. Loads nothing of the platform. */
export interface PluginDescriptor {
  /** The npm package, by which its manifest is found. */
  readonly package: string;
  readonly apiVersion: number;
  readonly platform: string;
  readonly schema: StandardSchema<unknown, unknown>;
  /** The options as written in the config; validated with it. */
  readonly options: unknown;
  /** Imports the platform's library and creates the adapter. Called at each start of the plugin. */
  create(deps: PluginDeps): Promise<PlatformAdapter>;
}

/** The dependencies that the host gives a plugin. */
export interface PluginDeps<Options = unknown> {
  /** The validated options, with defaults. */
  readonly options: Options;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly scope: PluginScope;
  /** The plugin's own folder (mode 0700) for its files. */
  readonly folder: string;
  /** Redacts secrets, known and likely, from what people say before the plugin stores it in its folder. */
  readonly redact: Redactor;
  /**
   * Has a secret redacted from now on wherever Hermes redacts: one that the plugin got or made by itself, such as the token
   * of a session. To be called before it is used, and again in the next process. Those of the config are known already.
   */
  readonly noteSecret: (secret: string) => void;
  /** The slash commands, for platforms that have to register them. */
  readonly commands: readonly CommandInfo[];
  /** Identities of this account's people, for platforms that use several ids for one person. */
  readonly identities: Identities;
  /** For plugins that ask for it in their manifest and that the config allows; see {@link OperatorOverview}. */
  readonly overview?: OperatorOverview | undefined;
  /**
   * What people of this account may see of their sessions. Missing where the host shows none; see {@link
   * VisibleSessions}.
   */
  readonly sessions?: VisibleSessions | undefined;
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
  /** Starts a timer that ends with the plugin. If `run` throws, only this plugin fails. */
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
 * @example
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
  return markAsPluginFunction(configure);
}

/** It is told by this among a module's exports, when a config names only the package. */
export function markAsPluginFunction<T extends (...args: never[]) => unknown>(configure: T): T {
  return Object.defineProperty(configure, PLUGIN_FUNCTION, { value: true });
}

export function isPluginDescriptor(value: unknown): value is PluginDescriptor {
  return hasBrand(value, PLUGIN_DESCRIPTOR);
}

/** Tells whether `value` was made by `definePlugin` or `defineTools`. */
export function isPluginFunction(value: unknown): value is (options?: unknown) => unknown {
  return typeof value === "function" && Reflect.get(value, PLUGIN_FUNCTION) === true;
}
