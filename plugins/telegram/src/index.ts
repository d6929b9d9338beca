import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type TelegramConfig, telegramOptions } from "./config.ts";

export type { TelegramConfig, TelegramOptions } from "./config.ts";

/**
 * Telegram, through a bot of your own.
 *
 * ```ts
 * telegram({ token: process.env.TELEGRAM_BOT_TOKEN, homeChannel: "123456789" })
 * ```
 */
export const telegram: (options?: TelegramConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-telegram",
  platform: "telegram",
  apiVersion: 2,
  schema: telegramOptions,
  create: async (deps) => new (await import("./adapter.ts")).TelegramAdapter(deps),
});
