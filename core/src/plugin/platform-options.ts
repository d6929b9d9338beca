import { z } from "zod";
import type { HomeChannel } from "../adapter/conversation.ts";

const homeChannel = z.looseObject({
  chatId: z.string().min(1),
  threadId: z.string().min(1).optional(),
  name: z.string().optional(),
  shared: z.boolean().optional(),
  requireThread: z.boolean().optional(),
});

const place = z.strictObject({
  chatId: z.string().min(1),
  threadId: z.string().min(1).optional(),
  shared: z.boolean().optional(),
});

/** Names of places, as they stand behind a slash. */
const places = z
  .record(
    z.string().regex(/^[^\s/#@:][^/]*$/, "A place's name begins with a letter or digit, and has no slash"),
    z
      .union([z.string().min(1), place])
      .transform((at): ConfiguredPlace => (typeof at === "string" ? { chatId: at } : at)),
  )
  .superRefine((named, context) => {
    const names = Object.keys(named).map((name) => name.toLowerCase());
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) context.addIssue({ code: "custom", message: `Two places are called ${twice}` });
  });

/**
 * The options that every platform has; a plugin spreads them into its own schema. Core reads them to decide who may do
 * what.
 *
 * @example
 * ```ts
 * const options = z.object({ ...platformOptions, token: z.string().min(1) });
 * ```
 */
export const platformOptions = {
  /** A chat id, or `{ chatId, threadId?, name?, shared?, requireThread?, … }`. */
  homeChannel: z
    .union([z.string().min(1), homeChannel])
    .transform((home): HomeChannel => (typeof home === "string" ? { chatId: home } : home))
    .optional(),
  /** Ids of people who may talk to the agent. */
  allowedUsers: z.array(z.string()).default([]),
  /** Ids of people who may do everything. */
  operators: z.array(z.string()).default([]),
  /** Ids of other bots that are answered; all others are not, since two bots could talk to each other for ever. */
  allowedBots: z.array(z.string()).default([]),
  /**
   * In groups: answer only what is addressed to the bot: a mention, a reply, a command. The home channel and threads
   * that a session lives in need none.
   */
  requireMention: z.boolean().default(true),
  /** In groups: a session for each person, rather than one for the group. */
  sessionPerUser: z.boolean().default(false),
  /** Strangers in private chats are answered once a day, with a code by which the operator can let them in. */
  pairing: z.boolean().default(false),
  /** Conversations by names of your own: a chat id, or `{ chatId, threadId?, shared? }`. */
  places: places.default({}),
  /** Tells bot accounts of one platform apart. */
  account: z.string().optional(),
};

/** A conversation that the config names. `shared` must be true if others than the operator can read it. */
export interface ConfiguredPlace {
  readonly chatId: string;
  readonly threadId?: string | undefined;
  readonly shared?: boolean | undefined;
}

/** What core reads of a plugin's checked options. */
export interface PlatformOptions {
  readonly homeChannel?: HomeChannel | undefined;
  readonly allowedUsers: readonly string[];
  readonly operators: readonly string[];
  readonly allowedBots: readonly string[];
  readonly requireMention: boolean;
  readonly sessionPerUser: boolean;
  readonly pairing?: boolean | undefined;
  readonly places?: Readonly<Record<string, ConfiguredPlace>> | undefined;
  readonly account?: string | undefined;
}

/**
 * The options that every platform has, as they are written in a config. A plugin extends it by its own, with a comment
 * on each, since an editor shows none of what a schema is made of:
 *
 * @example
 * ```ts
 * export interface PagerConfig extends PlatformConfig {
 *   // The token of the bot, as a comment for editors.
 *   token: string | undefined;
 * }
 * export const pager: (options?: PagerConfig) => PluginDescriptor = definePlugin({ … });
 * ```
 */
export interface PlatformConfig {
  /** Where handoffs land: a chat id, or `{ chatId, threadId?, name?, shared?, requireThread?, … }`. */
  homeChannel?: string | HomeChannel | undefined;
  /** Ids of people who may talk to the agent; `*` for everybody. */
  allowedUsers?: string[] | undefined;
  /** Ids of people who may do everything, by tools too. */
  operators?: string[] | undefined;
  /** Ids of other bots that are answered; all others are not. */
  allowedBots?: string[] | undefined;
  /**
   * In groups: answer only a mention, a reply or a command (true by default). The home channel and threads that a session
   * lives in need none.
   */
  requireMention?: boolean | undefined;
  /** In groups: a session for each person, rather than one for the group (false by default). */
  sessionPerUser?: boolean | undefined;
  /** Answer strangers in private chats once a day, with a code by which the operator can let them in (false by default). */
  pairing?: boolean | undefined;
  /** Conversations by names of your own: a chat id, or `{ chatId, threadId?, shared? }`. */
  places?: Record<string, string | ConfiguredPlace> | undefined;
  /** A name that tells bot accounts of one platform apart. */
  account?: string | undefined;
}
