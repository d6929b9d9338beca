import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type WhatsAppConfig, whatsappOptions } from "./config.ts";

export type { WhatsAppConfig, WhatsAppOptions } from "./config.ts";

/**
 * WhatsApp: a business number through Meta's Cloud API, or a number of your own as a linked device.
 *
 * ```ts
 * whatsapp({ transport: "personal", homeChannel: "+49 170 1234567" })
 * ```
 */
export const whatsapp: (options?: WhatsAppConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-whatsapp",
  platform: "whatsapp",
  apiVersion: 2,
  schema: whatsappOptions,
  create: async (deps) => (await import("./adapter.ts")).createAdapter(deps),
});
