import { type PlatformConfig, platformOptions, z } from "@hermes/core";

/** The options of `discord()`. README.md repeats them; a test holds the two together. */
export const discordOptions = z
  .object({
    ...platformOptions,
    token: z
      .string({ error: "has to be the token of a bot, from the page “Bot” of the Developer Portal" })
      .transform((token) => token.trim().replace(/^Bot\s+/i, ""))
      .pipe(z.string().min(1))
      .describe("The token of the bot, from the page “Bot” of the Developer Portal."),
    homeChannel: platformOptions.homeChannel.describe(
      "The id of a channel, forum, thread or person. In a forum, `tag` is the name or id of the tag that posts get.",
    ),
    registerCommands: z
      .boolean()
      .default(true)
      .describe("Register the slash commands with Discord. They replace all other commands of the same application."),
    apiUrl: z
      .url({ protocol: /^https?$/ })
      .default("https://discord.com")
      .describe("Where Discord's API is; `/api/v10` is added. For the emulator, or a proxy."),
  })
  .refine(({ homeChannel }) => homeChannel?.tag === undefined || typeof homeChannel.tag === "string", {
    path: ["homeChannel", "tag"],
    error: "has to be the name or the id of a tag",
  });

export type DiscordOptions = z.output<typeof discordOptions>;

/** The options as written in a config; editors show their comments. */
export interface DiscordConfig extends PlatformConfig {
  /** The token of the bot, from the page “Bot” of the Developer Portal. */
  token: string | undefined;
  /** The id of a channel, forum, thread or person. In a forum, `tag` is the name or id of the tag that posts get. */
  homeChannel?: PlatformConfig["homeChannel"];
  /** Register the slash commands with Discord. They replace all other commands of the same application. */
  registerCommands?: boolean | undefined;
  /** Where Discord's API is; `/api/v10` is added. For the emulator, or a proxy. */
  apiUrl?: string | undefined;
}
