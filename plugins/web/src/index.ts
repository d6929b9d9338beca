import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type WebConfig, webOptions } from "./config.ts";

export type { WebConfig, WebOptions } from "./config.ts";

/**
 * The built-in platform: a page in the browser, served by the gateway itself. Needs no account.
 *
 * ```ts
 * export default defineConfig({ plugins: [web()] });
 * ```
 */
export const web: (options?: WebConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-web",
  platform: "web",
  apiVersion: 2,
  schema: webOptions,
  create: async (deps) => new (await import("./adapter.ts")).WebAdapter(deps),
});
