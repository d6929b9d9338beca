import type { HermesConfig } from "./config.ts";

/** Gives a config its types. */
export function defineConfig(config: HermesConfig): HermesConfig {
  return config;
}
