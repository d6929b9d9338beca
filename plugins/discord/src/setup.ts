import type { PluginSetup } from "@hermes/core";
import type { DiscordOptions } from "./config.ts";
import { examine } from "./examine.ts";

/** What `hermes init` asks for, and what `hermes doctor` checks. Loads no library. */
export const setup: PluginSetup<DiscordOptions> = {
  title: "Discord",
  summary: "a bot of your own; a thread for each session, slash commands",
  ways: [
    {
      name: "bot",
      title: "a bot of your own",
      questions: [
        {
          option: "token",
          label: "The bot's token",
          variable: "DISCORD_BOT_TOKEN",
          page: "https://discord.com/developers/applications",
          steps: [
            "In the Developer Portal: New Application, name it, Create.",
            "Page Bot: switch on Message Content Intent, Save Changes.",
            "Same page: Reset Token, Yes, do it!, Copy. It is shown once.",
          ],
        },
      ],
    },
  ],
  examine,
};
