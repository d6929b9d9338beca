import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type AcmeConfig, acmeOptions } from "./config.ts";

export type { AcmeConfig, AcmeOptions } from "./config.ts";

/**
 * Acme, through an account of the bot's own.
 *
 * ```ts
 * acme({ token: process.env.ACME_TOKEN, homeChannel: "c-ada" })
 * ```
 */
export const acme: (options?: AcmeConfig) => PluginDescriptor = definePlugin({
  package: "hermes-plugin-acme",
  platform: "acme",
  apiVersion: 2,
  schema: acmeOptions,
  // Loaded when a gateway starts the plugin, and not by those who only read the config.
  create: async (deps) => new (await import("./adapter.ts")).AcmeAdapter(deps),
});
