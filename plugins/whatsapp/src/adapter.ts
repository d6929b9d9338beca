import type { PlatformAdapter, PluginDeps } from "@hermes/core";
import type { WhatsAppOptions } from "./config.ts";
import { unavailable } from "./errors.ts";

/** The adapter for the transport that the config names. Only its library is loaded. */
export async function createAdapter(deps: PluginDeps<WhatsAppOptions>): Promise<PlatformAdapter> {
  if (deps.options.transport !== "cloud") throw unavailable("this version has no `personal` transport yet");
  const { CloudAdapter } = await import("./cloud/adapter.ts");
  return new CloudAdapter(deps);
}
