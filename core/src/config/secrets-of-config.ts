import { secretsOfEnvironment } from "../base/proxy/proxy-settings.ts";
import { secretsIn } from "../base/redact.ts";
import type { LoadedConfig } from "./config.ts";
import { lookalikesIn } from "./env-file.ts";

/** All secrets that a process knows: those of its environment, the `.env`, the providers and the options of plugins. */
export function secretsOfConfig(config: LoadedConfig | null, environment: NodeJS.ProcessEnv): string[] {
  const { variables = {}, providers, plugins = [], toolPlugins = [] } = config ?? {};
  const settings = [providers, [...plugins, ...toolPlugins].map(({ options }) => options)];
  return [
    ...secretsOfEnvironment({ ...variables, ...environment }),
    ...lookalikesIn(variables),
    ...secretsIn(settings),
  ];
}
