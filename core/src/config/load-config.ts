import { asHermesError } from "../base/errors.ts";
import { type CheckRequest, checkConfig } from "./check-config.ts";
import type { LoadedConfig } from "./config.ts";

/**
 * Finds, reads and checks the config; without one there are the defaults, with no plugin. Throws the first problem as
 * a HermesError.
 */
export async function loadConfig(request: CheckRequest): Promise<LoadedConfig> {
  const { config, problems } = await checkConfig(request);
  if (config === null) throw problems[0] ?? asHermesError("the config cannot be used, and nobody says why");
  return config;
}
