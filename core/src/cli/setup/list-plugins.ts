import { accountName } from "../../model/identity.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { describePlugins } from "./describe-plugins.ts";

/**
 * `hermes plugins`: what is installed and configured, and how the gateway that runs finds it. Loads no plugin's
 * library.
 */
export async function listPlugins({ io, output, withHost }: CliContext): Promise<undefined> {
  await withHost(async ({ store, config }) => {
    const served = (await store.gateways.alive()).flatMap(({ platforms }) => platforms);
    // Without a config, what is installed where somebody stands can be put into one.
    const folder = config.path === null ? io.workingDirectory : config.folder;
    const plugins = describePlugins({ ...config, folder }).map((plugin) => {
      const account = plugin.account ?? undefined;
      // One whose platform nobody could tell stands in the heartbeat under its package.
      const platform = plugin.platform ?? plugin.package;
      const running = served.find((one) => one.platform === platform && one.account === account);
      return { ...plugin, health: running?.health.state ?? null, detail: running?.health.detail ?? null };
    });
    output.document({
      plugins: plugins.map(({ problem, ...plugin }) => ({
        ...plugin,
        problem: problem && output.shown(problem),
      })),
    });
    if (plugins.length === 0) output.line("No plugin is configured or installed.");
    const { bold, dim, yellow } = output.colors;
    for (const { package: name, version, kind, platform, account, isConfigured, health, detail, problem } of plugins) {
      const title = accountName({ platform: platform ?? name, account });
      const state = isConfigured
        ? (health ?? (kind === "tools" ? "tools for the agent" : "configured, and no gateway serves it"))
        : "installed, not configured";
      output.line(styled`${bold(title)}  ${dim(`${name}${version === null ? "" : `@${version}`}`)}`);
      // What is wrong with a plugin is said once, in full.
      output.line(`  ${state}${detail === null || problem !== null ? "" : `, ${detail}`}`);
      if (problem !== null) output.line(styled`  ${yellow(problem.message)} ${dim(output.asCalled(problem.hint))}`);
    }
    const unused = plugins.filter(({ isConfigured, platform }) => !isConfigured && platform !== null);
    if (unused.length > 0) output.line(howToAdd(unused.map(({ package: name }) => name)));
  });
}

function howToAdd(names: readonly string[]): string {
  return `To use what is not configured: \`hermes plugins add ${names.join(" ")}\`.`;
}
