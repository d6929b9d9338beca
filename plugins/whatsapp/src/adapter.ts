import type { PlatformAdapter, PluginDeps } from "@hermes/core";
import type { WhatsAppOptions } from "./config.ts";
import { withPersonalLibrary } from "./personal-library.ts";

/** Creates the adapter for the config's transport, and loads only what that needs. Throws PLUGIN_NEEDS_PACKAGE. */
export async function createAdapter(deps: PluginDeps<WhatsAppOptions>): Promise<PlatformAdapter> {
  if (deps.options.transport === "cloud") {
    const { CloudAdapter } = await import("./cloud/adapter.ts");
    return new CloudAdapter(deps);
  }
  const { PersonalAdapter } = await withPersonalLibrary(() => import("./personal/adapter.ts"));
  return new PersonalAdapter(deps);
}
