import { resolveModel } from "../../agent/model-provider.ts";
import { systemClock } from "../../base/clock.ts";
import { asHermesError, type HermesError } from "../../base/errors.ts";
import { createRedactor } from "../../base/redact.ts";
import { withoutSecrets } from "../../base/without-secrets.ts";
import { checkConfig } from "../../config/check-config.ts";
import type { LoadedConfig } from "../../config/config.ts";
import { secretsOfConfig } from "../../config/secrets-of-config.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";

/** `hermes config check`. Returns 1 when something is wrong, also with a single plugin. */
export async function checkConfigFile({ io, output, configPath }: CliContext): Promise<number> {
  const { environment, workingDirectory } = io;
  const home = hermesHome(environment);
  prepareHome(home);
  const confirmChange = confirmChangeOn(output);
  const request = { configPath, environment, workingDirectory, home, confirmChange };
  const { path, config, problems: found, warnings, envFile } = await checkConfig(request);
  const models = config === null ? [] : [...(config.model === null ? [] : [config.model]), ...config.models.fallback];
  const problems = [...found, ...(config === null ? [] : await problemsOf(models, config, environment))];
  output.document({
    path,
    envFile,
    ok: problems.length === 0,
    problems: problems.map((problem) => output.shown(problem)),
    warnings: warnings.map((warning) => output.shown(warning)),
  });
  if (output.json) return problems.length === 0 ? 0 : 1;

  for (const warning of warnings) output.note(`${warning.message} ${warning.hint}`);
  for (const problem of problems) output.error(problem);
  if (config === null || problems.length > 0) return 1;
  const platforms = config.plugins.map(({ descriptor }) => descriptor.platform).join(", ");
  output.line(
    path === null
      ? "There is no config: the defaults are used. `hermes init` sets one up, `hermes plugins add <platform>` adds a platform."
      : `${path} is in order.`,
  );
  if (envFile !== null) output.line(`${envFile} is read.`);
  output.line(`model: ${config.model ?? "none"}; platforms: ${platforms || "none"}`);
  return 0;
}

/** Returns why the model cannot be used, as far as that shows without a call. */
export function problemsOfModel(config: LoadedConfig, ambient: NodeJS.ProcessEnv): Promise<readonly HermesError[]> {
  return problemsOf(config.model === null ? [] : [config.model], config, ambient);
}

async function problemsOf(
  models: readonly string[],
  config: LoadedConfig,
  ambient: NodeJS.ProcessEnv,
): Promise<readonly HermesError[]> {
  const { providers, modelTimeouts: timeouts, variables } = config;
  const redact = createRedactor(secretsOfConfig(config, ambient));
  const environment = { ...variables, ...ambient };
  const found = models.map(async (model): Promise<HermesError[]> => {
    try {
      await resolveModel(model, { providers, environment, timeouts, clock: systemClock });
      return [];
    } catch (error) {
      return [withoutSecrets(asHermesError(error), redact)];
    }
  });
  return (await Promise.all(found)).flat();
}
