import { type PlatformConfig, platformOptions, z } from "@hermes/core";

/** The options of `telegram()`. README.md repeats them; a test holds the two together. */
export const telegramOptions = z.object({
  ...platformOptions,
  homeChannel: platformOptions.homeChannel.describe(
    "Where handoffs land: your own id for the private chat with the bot, or a group's (`-100…`, or `@name` of a public one).",
  ),
  /** The secret that @BotFather gave for the bot. */
  token: z
    .string()
    .regex(/^\d+:[\w-]{20,}$/, "is no token of a bot: @BotFather writes them as 123456789:AAF…")
    .describe("The bot's token, from @BotFather."),
  /** Where the Bot API is. */
  apiRoot: z
    .url({ protocol: /^https?$/ })
    .default("https://api.telegram.org")
    .transform((url) => url.replace(/\/+$/, ""))
    .describe("The Bot API server: Telegram's, one of your own, or the emulator."),
  /** Whether Telegram shows a picture of the first page that a message links to. */
  linkPreviews: z.boolean().default(false).describe("Show a preview of the first link in a message."),
});

export type TelegramOptions = z.output<typeof telegramOptions>;

/** The options as written in a config; editors show their comments. */
export interface TelegramConfig extends PlatformConfig {
  /**
   * Where handoffs land: your own id for the private chat with the bot, or a group's (`-100…`, or `@name` of a public
   * one).
   */
  homeChannel?: PlatformConfig["homeChannel"];
  /** The bot's token, from @BotFather. */
  token: string | undefined;
  /** The Bot API server: Telegram's, one of your own, or the emulator. */
  apiRoot?: string | undefined;
  /** Show a preview of the first link in a message. */
  linkPreviews?: boolean | undefined;
}
