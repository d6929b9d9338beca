import { join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { manifestOrNull } from "../../plugin/manifest.ts";
import { dependenciesIn } from "../../plugin/package-json.ts";
import { requireConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { uninstall } from "./package-manager.ts";
import { installedFor, parseSpec } from "./package-spec.ts";
import { PluginProject } from "./plugin-project.ts";
import { lockPlugins } from "./plugins-lock.ts";

const UNASKED = {
  reason: "Removing it needs your confirmation: pass --yes",
  command: "hermes plugins remove",
};

interface RemoveOptions {
  readonly account?: string;
  readonly yes?: boolean;
}

/** `hermes plugins remove`: takes a plugin out of the config and uninstalls it. What it keeps in the home stays. */
export async function removePlugin(
  context: CliContext,
  word: string,
  { account, yes = false }: RemoveOptions,
): Promise<number> {
  const { output, io } = context;
  const spec = parseSpec(word, io.workingDirectory, "hermes plugins remove");
  const project = await PluginProject.find(context);
  const name = installedFor(word, project.folder) ?? spec.name ?? word;
  using _lock = lockPlugins(project.home);
  const { packagesFolder: folder, file: config } = project;
  const platform = manifestOrNull(name, project.folder)?.platform ?? null;
  const isInstalled = folder !== null && name in dependenciesIn(folder);
  if (!project.names(name) && !isInstalled) {
    throw new HermesError("PLUGIN_NOT_THERE", { package: name, config, folder: folder ?? project.folder });
  }
  if (!yes && !(await requireConfirmed(output, `Take ${name} out of ${config}, and uninstall it?`, UNASKED))) {
    output.line("Nothing was removed.");
    return 1;
  }
  const outcome = await project.edit([{ kind: "remove-plugin", package: name, account }]);
  if ("paste" in outcome) throw new HermesError("CONFIG_BY_HAND", { file: config, package: name });
  // Another account, or code that uses it for something else.
  const isStillNamed = project.names(name);
  if (!outcome.isChanged && isStillNamed) {
    const which = account === undefined ? "without an account" : `with the account ${account}`;
    const reason = `${config} has no ${name} ${which}, but another one: name its account with --account`;
    throw new HermesError("USAGE", { reason, command: "hermes plugins remove" });
  }
  if (isInstalled && !isStillNamed) {
    try {
      await uninstall(folder, [name], output);
    } catch (error) {
      project.undoEdit();
      throw error;
    }
  }
  const isUninstalled = isInstalled && !isStillNamed;
  const data = platform === null ? null : join(project.home, "plugins", platform);
  output.document({ config, package: name, platform, isChanged: outcome.isChanged, isUninstalled, data });
  output.line(outcome.isChanged ? `${name} is out of ${config}.` : `${name} was not in ${config}.`);
  if (isUninstalled) output.line("It is uninstalled.");
  else if (isInstalled) output.line(`It stays installed: ${config} still names it.`);
  output.line(
    `No data was deleted: sessions and messages stay${data === null ? "" : `, and what it keeps in ${data}`}.`,
  );
  if (outcome.isChanged) output.line("`hermes gateway restart` makes a running gateway drop it.");
  return 0;
}
