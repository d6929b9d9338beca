import type { PluginDescriptor } from "./descriptor.ts";
import type { PlatformOptions } from "./platform-options.ts";

/** A plugin whose options were checked. */
export interface ConfiguredPlugin {
  readonly descriptor: PluginDescriptor;
  /** Checked, with defaults: the plugin's own and core's. */
  readonly options: PlatformOptions & Readonly<Record<string, unknown>>;
  /** Where the config names it: `plugins[0]`. */
  readonly key?: string | undefined;
}
