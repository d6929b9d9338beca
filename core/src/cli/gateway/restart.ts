import { sleep } from "../../base/clock.ts";
import type { HermesError } from "../../base/errors.ts";
import { checkConfig } from "../../config/check-config.ts";
import { noPlatforms } from "../../gateway/gateway.ts";
import type { Host } from "../../host/host.ts";
import type { GatewayRow, ServedPlatform } from "../../model/gateway-row.ts";
import { keepRenewed } from "../../store/keep-renewed.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";
import { noteToolsDirectory } from "../note-tools-directory.ts";
import { restartService, runningService } from "../service/running-service.ts";
import { serviceEnvironment } from "../service/service-program.ts";
import { problemsOfModel } from "../setup/check.ts";
import { describePlatforms } from "./describe-platforms.ts";
import { type GatewayStart, launchGateway } from "./launch.ts";
import { startOfConfig } from "./start-of-config.ts";
import { endGateways, runningGateways } from "./stop.ts";

/** The name of the lease that lets one restart at a time stop and start gateways. */
const LEASE = "gateway:restart";

const LEASE_MS = 15_000;

/** How often to look whether another restart is over, in milliseconds. */
const LOOK_AGAIN_MS = 100;

/**
 * `hermes gateway restart`: checks the config, stops the gateways of this machine once what runs has come to its end,
 * starts each again in the background or by its service, and waits until it serves. Returns 1 when a platform stays down.
 */
export async function restartGateways(context: CliContext): Promise<number> {
  return context.withHost((host) => restart(context, host), { needsConfig: false });
}

/** A gateway that is to be started: with what, and how. */
interface Restart {
  readonly start: GatewayStart;
  readonly run: () => Promise<GatewayRow>;
}

async function restart(context: CliContext, host: Host): Promise<number> {
  const { output } = context;
  await using _alone = await untilAlone(context, host);
  const { here } = await runningGateways(host);
  const restarts = await planRestarts(context, host, here);
  output.besideError = { stopped: [], started: [] };
  for (const { start } of restarts) {
    const problem = await problemOf(context, host, start);
    if (problem === null) continue;
    if (here.length > 0) output.note("Nothing was stopped: the config is not in order.");
    throw problem;
  }

  using _held = holdOut(context);
  if (here.length === 0) output.line("No gateway is running; one is started.");
  for (const { holder } of here) {
    output.line(`Stopping the gateway (pid ${holder.pid}); running turns finish first.`);
  }
  await endGateways(host, here);
  const stopped = here.map(({ holder }) => holder.pid);
  if (here.length > 0) output.line("Stopped. Starting it again.");

  const started: GatewayRow[] = [];
  for (const { run } of restarts) {
    output.besideError = { stopped, started: started.map(({ holder }) => holder.pid) };
    const gateway = await run();
    started.push(gateway);
    output.line(`The gateway runs (pid ${gateway.holder.pid}): ${describePlatforms(gateway.platforms)}.`);
  }
  await noteToolsDirectory(output, host);
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

/** What is to be started in the place of the gateways that run; the one of this command where none does. */
async function planRestarts(context: CliContext, host: Host, here: readonly GatewayRow[]): Promise<Restart[]> {
  const detached = (start: GatewayStart): Restart => ({
    start,
    run: () => launchGateway(context, host, { start, waitsForAll: true }),
  });
  if (here.length === 0) return [detached(ownStart(context))];
  const service = await runningService(context.io, here);
  return here.map((gateway) => {
    if (service?.gateway !== gateway) return detached(startOf(context, host, gateway));
    const { manager } = service;
    const environment = serviceEnvironment(context.io.environment);
    const start = startOf({ ...context, configPath: undefined }, host, gateway, environment);
    return { start, run: () => restartService(manager, host) };
  });
}

/** Waits until no other restart is under way: of two at once, each would start a gateway in the place of the same one. */
async function untilAlone({ output }: CliContext, { store, clock, holder, logger }: Host): Promise<AsyncDisposable> {
  const acquire = () => store.leases.acquire(LEASE, holder, LEASE_MS);
  for (let attempt = 1; !(await acquire()); attempt++) {
    if (attempt === 1) output.note("Another restart is under way; it comes first.");
    await sleep(clock, LOOK_AGAIN_MS);
  }
  const renewing = keepRenewed({
    ...{ clock, leaseMs: LEASE_MS, renew: acquire, onLost: () => {} },
    onError: (error) => logger.warn({ error }, "the lease on a restart could not be renewed"),
  });
  return {
    async [Symbol.asyncDispose]() {
      renewing[Symbol.dispose]();
      await store.leases.release(LEASE, holder);
    },
  };
}

/** Keeps a terminal that is closed, or a first Ctrl-C, from ending this between stop and start: nobody would serve then. */
function holdOut({ io, output }: CliContext): Disposable {
  const insist = (signal: "SIGINT" | "SIGTERM") => {
    const once = io.onSignal(signal, () => {
      output.note("Restarting first; press Ctrl-C again to leave it stopped.");
      once[Symbol.dispose]();
    });
    return once;
  };
  const held = [io.onSignal("SIGHUP", () => {}), insist("SIGINT"), insist("SIGTERM")];
  return { [Symbol.dispose]: () => held.forEach((one) => void one[Symbol.dispose]()) };
}

function isServed({ health, standby }: ServedPlatform): boolean {
  return standby || health.state === "up" || health.state === "degraded";
}

function ownStart({ io, configPath }: Pick<CliContext, "io" | "configPath">): GatewayStart {
  return { configPath, workingDirectory: io.workingDirectory, environment: io.environment };
}

/** With what a running gateway is to be started again: the config that this command names, else its own. */
function startOf(
  context: Pick<CliContext, "io" | "configPath">,
  { home }: Host,
  { configPath }: GatewayRow,
  environment: NodeJS.ProcessEnv = context.io.environment,
): GatewayStart {
  if (context.configPath !== undefined || configPath === null) return ownStart(context);
  return startOfConfig(configPath, { environment, home });
}

/** What would keep a gateway from serving all that its config names; null where nothing would. */
async function problemOf({ output }: CliContext, host: Host, start: GatewayStart): Promise<HermesError | null> {
  const confirmChange = confirmChangeOn(output);
  const { config, problems } = await checkConfig({ ...start, home: host.home, confirmChange });
  if (config === null || problems.length > 0) return problems[0] ?? null;
  return noPlatforms({ config }) ?? (await problemsOfModel(config, start.environment))[0] ?? null;
}
