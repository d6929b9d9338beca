import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/config.ts";
import { isFromVariable } from "../../config/edit/data.ts";
import type { FromVariable } from "../../config/edit-config.ts";
import type { GatewayRow } from "../../model/gateway-row.ts";
import type { SeenHome } from "../../model/home-person.ts";
import type { CliContext } from "../context.ts";
import type { Asking } from "./asking.ts";
import type { LoadedPlugin } from "./catalogue.ts";
import type { Flags } from "./flags.ts";
import type { Target } from "./target.ts";

/** What the steps of `hermes init` work with. Nothing of it is written before the last question. */
export interface Init {
  readonly context: CliContext;
  readonly home: string;
  readonly flags: Flags;
  /** Null without questions: only flags and defaults count. */
  readonly asking: Asking | null;
  readonly target: Target;
  /** The config that is there, or the defaults. */
  readonly config: LoadedConfig;
  readonly clock: Clock;
  readonly override: CliContext["override"];
  /** Aborts what is in progress. */
  readonly signal: AbortSignal;
  /** What is going to be written. */
  readonly draft: SetupDraft;
  /** Gateways that were stopped for a home search, and are not started again yet. */
  readonly stopped: GatewayRow[];
}

/** The answers so far. */
export interface SetupDraft {
  /** Undefined: unchanged. */
  model: string | undefined;
  /** New ones, by name. */
  readonly providers: Map<string, { readonly baseUrl: string; readonly apiKey?: FromVariable }>;
  /** For the `.env`, by name. */
  readonly variables: Map<string, string>;
  /** New ones, and those that change: by platform, and of an account with a name by both. */
  readonly platforms: Map<string, DraftPlatform>;
  /** Which account is meant, by platform, where the config has several; null for the one without a name. */
  readonly accounts: Map<string, string | null>;
}

export interface DraftPlatform {
  readonly plugin: LoadedPlugin;
  /** As the config gets them: a secret is `{ variable: NAME }`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Packages beside the plugin's own. */
  readonly packages: readonly string[];
  /** The account, as people see it; null where the platform did not tell. */
  readonly account: string | null;
  readonly needsHome: boolean;
  /** Who is the operator in the home channel, by the confirmation in the terminal. */
  readonly homePerson: { readonly seen: Omit<SeenHome, "isFixed">; readonly person: string } | null;
  /** The plugin's command that has to be run before the platform works. */
  readonly command: string | null;
}

export function emptyDraft(): SetupDraft {
  return { model: undefined, providers: new Map(), variables: new Map(), platforms: new Map(), accounts: new Map() };
}

/** Whether the answers set up or change an account of a platform. */
export function hasDraft({ platforms }: SetupDraft, platform: string): boolean {
  return [...platforms.values()].some(({ plugin }) => plugin.platform === platform);
}

/** Whether anything is to be written at all. */
export function isEmpty({ model, variables, platforms }: SetupDraft): boolean {
  return model === undefined && variables.size === 0 && platforms.size === 0;
}

/** What is set: by the answers, in the environment, in the `.env` beside the config. */
export function environmentOf({ context, config, draft }: Init): NodeJS.ProcessEnv {
  return { ...config.variables, ...context.io.environment, ...Object.fromEntries(draft.variables) };
}

/** Options with the values of their variables, as a plugin gets them. */
export function withValues(options: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv) {
  const entries = Object.entries(options).map(([name, value]) => [
    name,
    isFromVariable(value) ? environment[value.variable] : value,
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
