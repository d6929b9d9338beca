import type { PlatformAdapter, PluginDeps } from "@hermes/core";
import type { WhatsAppOptions } from "./config.ts";

/** The adapter for the transport that the config names. Only its library is loaded. */
export async function createAdapter(deps: PluginDeps<WhatsAppOptions>): Promise<PlatformAdapter> {
  if (deps.options.transport === "cloud") {
    const { CloudAdapter } = await import("./cloud/adapter.ts");
    return new CloudAdapter(deps);
  }
  const { PersonalAdapter } = await import("./personal/adapter.ts");
  return new PersonalAdapter(deps);
}
