import { resolve } from "node:path";
import type { HermesError } from "../../base/errors.ts";
import { checkConfig } from "../../config/check-config.ts";
import { findConfig } from "../../config/find-config.ts";
import { noPlatforms } from "../../gateway/gateway.ts";
import type { Host } from "../../host/host.ts";
import type { GatewayRow, ServedPlatform } from "../../model/gateway-row.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";
import { problemsOfModel } from "../setup/check.ts";
import { describePlatforms } from "./describe-platforms.ts";
import { type GatewayStart, launchGateway } from "./launch.ts";
import { endGateways, runningGateways } from "./stop.ts";

/**
 * `hermes gateway restart`: checks the config, stops the gateways of this machine once what runs has come to its end,
 * starts each again in the background, and waits until it serves. Returns 1 when a platform stays down.
 */
export async function restartGateways(context: CliContext): Promise<number> {
  return context.withHost((host) => restart(context, host), { needsConfig: false });
}

async function restart(context: CliContext, host: Host): Promise<number> {
  const { output } = context;
  const { here } = await runningGateways(host);
  const starts = here.length === 0 ? [ownStart(context)] : here.map((gateway) => startOf(context, host, gateway));
  output.besideError = { stopped: [], started: [] };
  for (const start of starts) {
    const problem = await problemOf(context, host, start);
    if (problem === null) continue;
    if (here.length > 0) output.note("Nothing was stopped: the config is not in order.");
    throw problem;
  }

  if (here.length === 0) output.line("No gateway is running; one is started.");
  for (const { holder } of here) {
    output.line(`Stopping the gateway (pid ${holder.pid}); what runs comes to its end first.`);
  }
  await endGateways(host, here);
  const stopped = here.map(({ holder }) => holder.pid);
  if (here.length > 0) output.line("Stopped. Starting it again.");

  const started: GatewayRow[] = [];
  for (const start of starts) {
    output.besideError = { stopped, started: started.map(({ holder }) => holder.pid) };
    const gateway = await launchGateway(context, host, { start, waitsForAll: true });
    started.push(gateway);
    output.line(`The gateway runs (pid ${gateway.holder.pid}): ${describePlatforms(gateway.platforms)}.`);
  }
  const down = started.flatMap(({ platforms }) => platforms.filter((platform) => !isServed(platform)));
  output.document({
    stopped,
    started: started.map(({ holder }) => holder.pid),
    down: down.map(({ platform, account, health }) => ({ platform, account, detail: health.detail ?? null })),
  });
  if (down.length === 0) return 0;
  output.note(`Not served: ${describePlatforms(down)}. \`hermes status\` shows when it is up.`);
  return 1;
}

function isServed({ health, standby }: ServedPlatform): boolean {
  return standby || health.state === "up" || health.state === "degraded";
}

function ownStart({ io, configPath }: CliContext): GatewayStart {
  return { configPath, workingDirectory: io.workingDirectory, environment: io.environment };
}

/**
 * With what a running gateway is to be started again: the config that this command names, else its own. That is looked
 * for from its own folder where it is found there, so that what a trusted folder changed since is asked about.
 */
function startOf(context: CliContext, { home }: Host, { configPath }: GatewayRow): GatewayStart {
  if (context.configPath !== undefined || configPath === null) return ownStart(context);
  const { HERMES_CONFIG: _named, ...environment } = context.io.environment;
  const workingDirectory = resolve(configPath, "..");
  const found = findConfig({ environment, workingDirectory, home });
  return { configPath: found.file === configPath ? undefined : configPath, workingDirectory, environment };
}

/** What would keep a gateway from serving all that its config names; null where nothing would. */
async function problemOf({ output }: CliContext, host: Host, start: GatewayStart): Promise<HermesError | null> {
  const confirmChange = confirmChangeOn(output);
  const { config, problems } = await checkConfig({ ...start, home: host.home, confirmChange });
  if (config === null || problems.length > 0) return problems[0] ?? null;
  return noPlatforms({ config }) ?? (await problemsOfModel(config, start.environment))[0] ?? null;
}
