import { definePlugin } from "@hermes/core";
import { telegramOptions } from "./config.ts";

export type { TelegramOptions } from "./config.ts";

/**
 * Telegram, through a bot of your own.
 *
 * ```ts
 * telegram({ token: process.env.TELEGRAM_BOT_TOKEN, homeChannel: "123456789" })
 * ```
 */
export const telegram = definePlugin({
  package: "@hermes/plugin-telegram",
  platform: "telegram",
  apiVersion: 2,
  schema: telegramOptions,
  create: async (deps) => new (await import("./adapter.ts")).TelegramAdapter(deps),
});
