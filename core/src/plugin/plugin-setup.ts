import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";

/**
 * What the module named by `"hermes": {"setup": …}` in a plugin's manifest exports: what `hermes init` asks for, and what
 * `hermes doctor` checks.
 *
 * @example
 * ```ts
 * export const setup: PluginSetup<AcmeOptions> = {
 *   title: "Acme",
 *   summary: "a bot of your own; threads",
 *   ways: [
 *     { name: "bot", title: "a bot", questions: [{ option: "token", label: "The bot's token", variable: "ACME_TOKEN" }] },
 *   ],
 *   async examine({ token }, { signal }) {
 *     const { id, name } = await whoAmI(token, signal);
 *     return { account: { id, name }, findings: [] };
 *   },
 * };
 * ```
 */
export interface PluginSetup<Options = unknown> {
  /** The platform's name as people write it, with capitals. */
  readonly title: string;
  /** A few words for the list of platforms, without a full stop. */
  readonly summary: string;
  /** The ways to use the platform; the first is proposed. Most platforms have one. */
  readonly ways: readonly SetupWay[];
  /**
   * Checks checked options by calls to the platform that change nothing and take no message away from a gateway which
   * serves the account at the same time. With a home channel in the options it checks that too: whether the bot can post
   * there, open a thread, see who is in it. A PlatformError that it throws becomes a problem.
   */
  examine(options: Options, context: PluginSetupContext): Promise<Examination>;
}

/** One way to use a platform, such as a bot or a linked device. */
export interface SetupWay {
  /** For `hermes init --platform acme:bot`. */
  readonly name: string;
  readonly title: string;
  /** Options that this way sets without a question. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Packages beside the plugin's own that it needs, as `name@version`. */
  readonly packages?: readonly string[];
  readonly questions: readonly SetupQuestion[];
  /** The plugin's command that connects the account once the questions are answered, such as `link`. */
  readonly command?: string;
  /**
   * False where the platform needs no home channel in the config. Otherwise the chat that writes the one-time word is
   * it.
   */
  readonly needsHome?: boolean;
}

/** One question of a way. Its answer is checked by the plugin's schema. */
export interface SetupQuestion {
  /** The option that the answer sets. */
  readonly option: string;
  /** What is asked for, such as `The bot's token`. */
  readonly label: string;
  /** How to get it, a line each. */
  readonly steps?: readonly string[];
  /** The page where the steps begin; offered to be opened. */
  readonly page?: string;
  /** The variable that holds the answer: it is a secret, typed unseen and written to `.env` rather than to the config. */
  readonly variable?: string;
  /** Taken when nothing is answered. */
  readonly default?: string;
  /** The option is left out when nothing is answered. */
  readonly isOptional?: boolean;
}

/** What a set-up gets for its check. */
export interface PluginSetupContext {
  /** The same folder that the adapter gets. It may not exist yet. */
  readonly folder: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Aborts when the check has to end. */
  readonly signal: AbortSignal;
}

/** What `examine` found out. */
export interface Examination {
  /** The account that the credentials belong to; null where the platform did not tell. */
  readonly account: ExaminedAccount | null;
  /** In the order of importance; what is in order too. */
  readonly findings: readonly Finding[];
}

/** The bot's account, as a check of the set-up found it. */
export interface ExaminedAccount {
  readonly id: string;
  /** As people see it, such as `@ada_bot`. */
  readonly name: string;
  /** The page on which a person begins to write to it in private. */
  readonly link?: string;
}

/** One thing that was looked at. */
export interface Finding {
  readonly state: "ok" | "warning" | "problem";
  /** A sentence. */
  readonly message: string;
  /**
   * What to do; given with every warning and problem. Of a home channel in which others would read what is handed off it is
   * the hint of CONFIG_HOME_CHANNEL_NOT_SHARED: `hermes init` then asks whether that is meant.
   */
  readonly hint?: string;
}
