import { definePlugin } from "@hermes/core";
import { whatsappOptions } from "./config.ts";

export type { WhatsAppOptions } from "./config.ts";

/**
 * WhatsApp: a business number through Meta's Cloud API, or a number of your own as a linked device.
 *
 * ```ts
 * whatsapp({ transport: "personal", homeChannel: "+49 170 1234567" })
 * ```
 */
export const whatsapp = definePlugin({
  package: "@hermes/plugin-whatsapp",
  platform: "whatsapp",
  apiVersion: 2,
  schema: whatsappOptions,
  create: async (deps) => (await import("./adapter.ts")).createAdapter(deps),
});
