import type { PluginSetup } from "@hermes/core";
import type { TelegramOptions } from "./config.ts";
import { examine } from "./examine.ts";

/** What `hermes init` asks for, and what `hermes doctor` checks. Loads no library. */
export const setup: PluginSetup<TelegramOptions> = {
  title: "Telegram",
  summary: "a bot of your own; a topic for each session, answers that grow",
  ways: [
    {
      name: "bot",
      title: "a bot of your own",
      questions: [
        {
          option: "token",
          label: "The bot's token",
          variable: "TELEGRAM_BOT_TOKEN",
          page: "https://t.me/BotFather",
          steps: [
            "Open @BotFather in Telegram, press Start, and send /newbot.",
            "Answer its two questions: a name, and a username that ends in bot.",
            "For topics in your private chat: its profile, Open App, your bot, Settings, Bot Settings, Threaded Mode.",
            "It has given you the token, as 123456789:AAF…; paste it here.",
          ],
        },
      ],
    },
  ],
  examine,
};
