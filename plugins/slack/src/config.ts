import { type PlatformConfig, platformOptions, z } from "@hermes/core";

/** The address of Slack's Web API. */
const SLACK_API = "https://slack.com/api/";

/** The options of `slack()`. README.md repeats them; a test holds the two together. */
export const slackOptions = z.object({
  ...platformOptions,
  botToken: z
    .string()
    .regex(/^xoxb-/, { error: "has to be the bot token, which begins with xoxb-" })
    .describe("The bot token, `xoxb-…`: “Bot User OAuth Token” of the page “OAuth & Permissions”."),
  appToken: z
    .string()
    .regex(/^xapp-/, { error: "has to be the app-level token, which begins with xapp-" })
    .describe("The app-level token, `xapp-…`, with the scope `connections:write`: of the page “Basic Information”."),
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default(SLACK_API)
    .describe("The Web API's address: an emulator's, or `https://slack-gov.com/api/`."),
});

export type SlackOptions = z.output<typeof slackOptions>;

/** The options as written in a config; editors show their comments. */
export interface SlackConfig extends PlatformConfig {
  /** The bot token, `xoxb-…`: “Bot User OAuth Token” of the page “OAuth & Permissions”. */
  botToken: string | undefined;
  /** The app-level token, `xapp-…`, with the scope `connections:write`: of the page “Basic Information”. */
  appToken: string | undefined;
  /** The Web API's address: an emulator's, or `https://slack-gov.com/api/`. */
  apiUrl?: string | undefined;
}
