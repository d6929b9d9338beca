import type { PlatformAdapter, PluginDeps } from "@hermes/core";
import type { WhatsAppOptions } from "./config.ts";

/** The adapter for the transport that the config names. */
export async function createAdapter(deps: PluginDeps<WhatsAppOptions>): Promise<PlatformAdapter> {
  const { CloudAdapter } = await import("./cloud/adapter.ts");
  return new CloudAdapter(deps);
}
