import type { HermesError } from "../base/errors.ts";
import { type Token, token } from "../base/tokens.ts";
import type { PermissionRules } from "../permissions/rule.ts";
import type { ConfiguredPlugin } from "../plugin/configured-plugin.ts";
import type { PluginDescriptor } from "../plugin/descriptor.ts";
import type { ConfiguredTools, ToolsDescriptor } from "../plugin/tools-plugin.ts";

/** What people write in hermes.config.ts. */
export interface HermesConfig {
  /** `<provider>/<model>`, such as `anthropic/claude-sonnet-4-5`. Without one, a stand-in answers that none is set. */
  readonly model?: string | undefined;
  /**
   * `fallback`: the models to ask, in this order, where a session's does not answer. `known`: what is known of models, by
   * `<provider>/<model>`; it beats Hermes' own table, fact by fact.
   */
  readonly models?:
    | {
        readonly fallback?: readonly string[] | undefined;
        readonly known?: Readonly<Record<string, KnownModel>> | undefined;
      }
    | undefined;
  /** Model servers under names of your own. */
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  /** How long a model may send nothing, before its answer and within it. A minute each where it is left out. */
  readonly modelTimeouts?: Partial<ModelTimeouts> | undefined;
  /** Instructions to the agent, the same in every session. */
  readonly instructions?: string | undefined;
  /** In JSON and YAML a plugin is `["package", { options }]`. */
  readonly plugins?:
    | readonly (PluginDescriptor | ToolsDescriptor | readonly [string, Record<string, unknown>?] | string)[]
    | undefined;
  /** `durability`: `full` waits for the disk at each message, `normal` (default) for the system only. */
  readonly store?: { readonly durability?: "normal" | "full" | undefined } | undefined;
  /** Without effect: operators may hand off from everywhere. */
  readonly gateway?: { readonly allowHandoff?: boolean | undefined } | undefined;
  /** The packages of plugins that may show the operator everything; those of Hermes itself where it is left out. */
  readonly overview?: readonly string[] | undefined;
  /** How much the log holds: `info` and above where it is left out. */
  readonly log?: { readonly level?: "debug" | "info" | "warn" | "error" | undefined } | undefined;
  /**
   * `directory`: the folder in which sessions that began on a platform have tools; without it they have none.
   * `answerWithinHours`: how long a question waits for its answer, 24 by default; null: for ever.
   */
  readonly tools?:
    | { readonly directory?: string | null | undefined; readonly answerWithinHours?: number | null | undefined }
    | undefined;
  /** What may be used at most: in one session, by everybody on one day, and by each person on one day. */
  readonly limits?: LimitsConfig | undefined;
  /** `offer`, the default: whoever writes in a fresh private chat may go on there with what they did elsewhere. */
  readonly continuity?: "offer" | "off" | undefined;
  /**
   * How the terminal calls you when a turn of more than ten seconds ends, or asks, while its window is in the background:
   * `osc9` (default): a notification of the desktop where the terminal can show one, and the bell; `bell`; or `off`.
   */
  readonly notify?: "osc9" | "bell" | "off" | undefined;
  /** What tools may do without asking, as `shell(npm test)` or `write(src/**)`. `deny` beats `ask` beats `allow`. */
  readonly permissions?: Partial<PermissionRules> | undefined;
}

/** What may be used at most. Reached within a turn, an operator is asked whether it goes on. */
export interface LimitsConfig {
  /** In one session, for good. */
  readonly session?: UsageLimit | undefined;
  /** By everybody, on one day of this machine's calendar. */
  readonly day?: UsageLimit | undefined;
  /** By each person, on one day. */
  readonly person?: UsageLimit | undefined;
}

/** Reached when either is. */
interface UsageLimit {
  /** US dollars. Of a model of unknown price, 100,000 tokens count as one, unless `tokens` is set too. */
  readonly dollars?: number | undefined;
  /** All tokens: sent, from the cache or not, and written. */
  readonly tokens?: number | undefined;
}

/** Gives a config its types. */
export function defineConfig(config: HermesConfig): HermesConfig {
  return config;
}

/** What a config says of a model. */
export interface KnownModel {
  /** Tokens that a request and its answer may have together. */
  readonly window?: number | undefined;
  /** Tokens of the longest answer. */
  readonly maxOutput?: number | undefined;
  readonly images?: boolean | undefined;
  readonly pdf?: boolean | undefined;
  /** US dollars per million tokens. */
  readonly prices?:
    | {
        readonly input: number;
        readonly output: number;
        readonly cacheRead?: number | undefined;
        readonly cacheWrite?: number | undefined;
      }
    | undefined;
}

/** In seconds. */
export interface ModelTimeouts {
  readonly firstByteSeconds: number;
  readonly idleSeconds: number;
}

/** A provider of models by the config's own name for it. */
export interface ProviderConfig {
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  /** The key, best taken from the environment; left out where the server wants none. */
  readonly apiKey?: string | undefined;
  /** How it is spoken to. `compatible`, the default: by OpenAI's chat completions. `responses`: by its responses API. */
  readonly protocol?: "compatible" | "responses" | "anthropic" | "google" | undefined;
}

/** A config that was found, read and checked, with its defaults. */
export interface LoadedConfig {
  /** The file it came from; null for the defaults. */
  readonly path: string | null;
  /** The folder plugins are resolved from. */
  readonly folder: string;
  readonly model: string | null;
  readonly models: {
    readonly fallback: readonly string[];
    readonly known: Readonly<Record<string, KnownModel>>;
  };
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly modelTimeouts: ModelTimeouts;
  readonly instructions: string | null;
  readonly plugins: readonly ConfiguredPlugin[];
  /** Plugins that bring tools; missing where there are none. */
  readonly toolPlugins?: readonly ConfiguredTools[];
  /** Plugins that it names and that cannot be used. To be shown; the others are served. */
  readonly brokenPlugins: readonly BrokenPlugin[];
  readonly store: { readonly durability: "normal" | "full" };
  /** Null: Hermes' own packages. */
  readonly overview: readonly string[] | null;
  readonly log: { readonly level: "debug" | "info" | "warn" | "error" };
  readonly permissions: PermissionRules;
  readonly continuity: "offer" | "off";
  readonly limits: LimitsConfig;
  readonly notify: "osc9" | "bell" | "off";
  /** Absolute; null where none is set. */
  readonly tools: { readonly directory: string | null; readonly answerWithinHours: number | null };
  /** What was passed over on the way to this config, such as one in a folder that is not trusted. To be shown. */
  readonly warnings: readonly HermesError[];
  /** What the `.env` beside it holds and the environment has not. Secrets: never to be shown. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The keys of a config that say something themselves, and not where it came from or what is plugged in. */
export const CORE_KEYS = [
  "model",
  "models",
  "instructions",
  "providers",
  "modelTimeouts",
  "store",
  "overview",
  "log",
  "permissions",
  "tools",
  "limits",
  "continuity",
  "notify",
] as const satisfies readonly (keyof LoadedConfig)[];

export type CoreConfig = Pick<LoadedConfig, (typeof CORE_KEYS)[number]>;

export const CONFIG: Token<LoadedConfig> = token("config");

/** A plugin that is not installed, cannot be imported, or does not fit this Hermes. */
export interface BrokenPlugin {
  /** The package, or the path of a module beside the config. */
  readonly package: string;
  /** `tools`, where it is known to bring tools. */
  readonly kind?: "tools";
  /** Where the config names it: `plugins[0]`. */
  readonly key: string;
  readonly file: string;
  /** Null where not even its manifest can be read. */
  readonly platform: string | null;
  readonly account: string | null;
  readonly error: HermesError;
}
