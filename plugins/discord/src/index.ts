import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type DiscordConfig, discordOptions } from "./config.ts";

export type { DiscordConfig, DiscordOptions } from "./config.ts";

/**
 * Discord, through a bot of your own.
 *
 * ```ts
 * export default defineConfig({
 *   plugins: [discord({ token: process.env.DISCORD_BOT_TOKEN, homeChannel: { chatId: "1234567890", shared: true } })],
 * });
 * ```
 */
export const discord: (options?: DiscordConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-discord",
  platform: "discord",
  apiVersion: 2,
  schema: discordOptions,
  create: async (deps) => new (await import("./adapter.ts")).DiscordAdapter(deps),
});
