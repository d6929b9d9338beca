import { delimiter, dirname, join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { checkConfig } from "../../config/check-config.ts";
import { noPlatforms } from "../../gateway/gateway.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import { copyToRun } from "../../host/project-copy.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";
import { startOfConfig } from "../gateway/start-of-config.ts";
import { problemsOfModel } from "../setup/check.ts";
import type { ServiceProgram } from "./service-manager.ts";

/** Where system programs are. A service has no other words of the terminal's environment. */
const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"];

export interface CheckedProgram {
  readonly program: ServiceProgram;
  readonly warnings: readonly string[];
}

/**
 * The gateway of this command's config as a service runs it: from the config's folder, without this terminal's
 * environment. Throws what is wrong with the config as it is seen from there.
 */
export async function serviceProgram({ io, output, configPath }: CliContext): Promise<CheckedProgram> {
  const { environment: ambient, workingDirectory } = io;
  const home = hermesHome(ambient);
  prepareHome(home);
  const node = process.execPath;
  const environment = serviceEnvironment(ambient);
  const confirmChange = confirmChangeOn(output);
  const named = configPath ?? ambient.HERMES_CONFIG;
  const request = { configPath: named, environment, workingDirectory, home, confirmChange };
  const { config, problems } = await checkConfig(request);
  const [problem] = problems;
  if (problem) throw problem;
  if (config === null || config.path === null) {
    throw new HermesError("GATEWAY_NO_PLATFORMS", { config: "hermes.config.ts (there is none)" });
  }
  const unfit = noPlatforms({ config }) ?? (await problemsOfModel(config, environment))[0];
  if (unfit) throw unfit;

  const start = startOfConfig(config.path, { environment, home });
  const args = start.configPath === undefined ? [] : ["--config", start.configPath];
  const bin = join(copyToRun({ args, environment, workingDirectory: start.workingDirectory }), "bin", "hermes.js");
  const { HOME: _theirs, ...variables } = environment;
  const program: ServiceProgram = {
    command: [node, bin, "gateway", ...args],
    workingDirectory: start.workingDirectory,
    environment: variables,
  };
  return { program, warnings: warningsFor(node, bin) };
}

/** What a service knows of the environment, without a secret: those stand in the `.env` beside the config. */
export function serviceEnvironment(ambient: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return {
    ...(ambient.HOME ? { HOME: ambient.HOME } : {}),
    HERMES_HOME: hermesHome(ambient),
    PATH: [...new Set([dirname(process.execPath), ...SYSTEM_PATH])].join(delimiter),
  };
}

function warningsFor(node: string, bin: string): string[] {
  return [
    ...(/[/\\](\.nvm|fnm|\.fnm|\.asdf|\.volta|\.nodenv|n|mise)[/\\].*\d+\.\d+/.test(node)
      ? [`${node} disappears when that version of Node is removed: run this again after changing it.`]
      : []),
    ...(bin.includes("/_npx/")
      ? [`${bin} lies in the cache of npx, which may be emptied: install Hermes in your project, and run this again.`]
      : []),
  ];
}
