import { dirname } from "node:path";
import { findConfig } from "../../config/find-config.ts";
import type { GatewayStart } from "./launch.ts";

/**
 * How a gateway is started on a config that is known by its path. It is looked for from its own folder where it is found
 * there, so that it runs only as it was trusted; else it is named.
 */
export function startOfConfig(
  configPath: string,
  { environment, home }: { readonly environment: NodeJS.ProcessEnv; readonly home: string },
): GatewayStart {
  const { HERMES_CONFIG: _named, ...others } = environment;
  const workingDirectory = dirname(configPath);
  const { file } = findConfig({ environment: others, workingDirectory, home });
  return { configPath: file === configPath ? undefined : configPath, workingDirectory, environment: others };
}
