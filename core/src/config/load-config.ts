import { asHermesError, type HermesError } from "../base/errors.ts";
import { type CheckRequest, checkConfig } from "./check-config.ts";
import type { LoadedConfig } from "./config.ts";
import { configSchema } from "./config-schema.ts";

/**
 * Finds, reads and checks the config; without one there are the defaults, with no plugin. Throws the first problem as
 * a HermesError.
 */
export async function loadConfig(request: CheckRequest): Promise<LoadedConfig> {
  const { config, problems } = await checkConfig(request);
  if (config === null) throw problemOf(problems);
  return config;
}

/** The same for what needs only the home: a config that cannot be used is a warning, and the defaults stand in for it. */
export async function loadConfigOrDefaults(request: CheckRequest): Promise<LoadedConfig> {
  const { config, path, problems, warnings } = await checkConfig(request);
  return config ?? defaultConfig(request.home, { path, warnings: [...warnings, problemOf(problems)] });
}

/** The config of a folder that has none; `parts` differ from the defaults. */
export function defaultConfig(folder: string, parts: Partial<LoadedConfig> = {}): LoadedConfig {
  return {
    ...configSchema.parse({}),
    ...{ path: null, folder, model: null, instructions: null },
    ...{ plugins: [], brokenPlugins: [], warnings: [], variables: {} },
    ...parts,
  };
}

function problemOf([first]: readonly HermesError[]): HermesError {
  return first ?? asHermesError("the config cannot be used, and nobody says why");
}
