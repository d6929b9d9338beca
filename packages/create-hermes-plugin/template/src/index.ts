import { definePlugin } from "@hermes/core";
import { acmeOptions } from "./config.ts";

export type { AcmeOptions } from "./config.ts";

/**
 * Acme, through an account of the bot's own.
 *
 * ```ts
 * acme({ token: process.env.ACME_TOKEN, homeChannel: "c-ada" })
 * ```
 */
export const acme = definePlugin({
  package: "hermes-plugin-acme",
  platform: "acme",
  apiVersion: 2,
  schema: acmeOptions,
  // Loaded when a gateway starts the plugin, and not by those who only read the config.
  create: async (deps) => new (await import("./adapter.ts")).AcmeAdapter(deps),
});
