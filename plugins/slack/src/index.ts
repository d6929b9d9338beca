import { definePlugin } from "@hermes/core";
import { slackOptions } from "./config.ts";

export type { SlackOptions } from "./config.ts";

/**
 * Slack, by socket mode: a thread for each session that is handed off, in a channel or a direct message.
 *
 * ```ts
 * slack({
 *   botToken: process.env.SLACK_BOT_TOKEN,
 *   appToken: process.env.SLACK_APP_TOKEN,
 *   homeChannel: "D0123456789",
 * });
 * ```
 */
export const slack = definePlugin({
  package: "@hermes/plugin-slack",
  platform: "slack",
  apiVersion: 2,
  schema: slackOptions,
  create: async (deps) => new (await import("./adapter.ts")).SlackAdapter(deps),
});
