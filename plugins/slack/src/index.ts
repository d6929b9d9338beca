import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type SlackConfig, slackOptions } from "./config.ts";

export type { SlackConfig, SlackOptions } from "./config.ts";

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
export const slack: (options?: SlackConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-slack",
  platform: "slack",
  apiVersion: 2,
  schema: slackOptions,
  create: async (deps) => new (await import("./adapter.ts")).SlackAdapter(deps),
});
