import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type IMessageConfig, imessageOptions } from "./config.ts";

export type { IMessageConfig, IMessageOptions } from "./config.ts";

/**
 * iMessage, through a BlueBubbles server on a Mac.
 *
 * ```ts
 * imessage({ password: process.env.BLUEBUBBLES_PASSWORD, homeChannel: "+491701234567" })
 * ```
 */
export const imessage: (options?: IMessageConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-imessage",
  platform: "imessage",
  apiVersion: 2,
  schema: imessageOptions,
  create: async (deps) => new (await import("./adapter.ts")).IMessageAdapter(deps),
});
