import { definePlugin, type PluginDescriptor } from "@hermes/core";
import { type SignalConfig, signalOptions } from "./config.ts";

export type { SignalConfig, SignalOptions } from "./config.ts";

/**
 * Signal, through `signal-cli daemon --http`.
 *
 * ```ts
 * signal({ url: "http://127.0.0.1:8080", homeChannel: "+491701234567" })
 * ```
 */
export const signal: (options?: SignalConfig) => PluginDescriptor = definePlugin({
  package: "@hermes/plugin-signal",
  platform: "signal",
  apiVersion: 2,
  schema: signalOptions,
  create: async (deps) => new (await import("./adapter.ts")).SignalAdapter(deps),
});
