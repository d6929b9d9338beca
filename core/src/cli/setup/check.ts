import { checkConfig } from "../../config/check-config.ts";
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
  const { path, config, problems, warnings } = await checkConfig(request);
  const shown = ({ code, message, hint }: (typeof problems)[number]) => ({ code, message, hint });
  output.document({ path, ok: problems.length === 0, problems: problems.map(shown), warnings: warnings.map(shown) });
  if (output.json) return problems.length === 0 ? 0 : 1;

  for (const warning of warnings) output.note(`${warning.message} ${warning.hint}`);
  for (const problem of problems) output.error(problem);
  if (config === null || problems.length > 0) return 1;
  const platforms = config.plugins.map(({ descriptor }) => descriptor.platform).join(", ");
  output.line(path === null ? "There is no config: the defaults are used." : `${path} is in order.`);
  output.line(`model: ${config.model ?? "none"}; platforms: ${platforms || "none"}`);
  return 0;
}
