import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { sleep } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { REDACTOR, type Redactor } from "../../base/redact.ts";
import { withoutFullStop } from "../../base/text.ts";
import { HERMES_BIN } from "../../config/own-project.ts";
import type { Host } from "../../host/host.ts";
import type { GatewayRow, ServedPlatform } from "../../model/gateway-row.ts";
import type { CliContext } from "../context.ts";

/** How long a gateway may take to start, in milliseconds. */
const START_WITHIN_MS = 30_000;

/** How long a platform that is slow to start holds up the word that the gateway runs, in milliseconds. */
const PATIENCE_MS = 3_000;

/** How often to look whether it has started, in milliseconds. */
const LOOK_AGAIN_MS = 50;

interface LaunchOptions {
  /** The platform that is needed: it alone is waited for, and for as long as it may take. */
  readonly platform?: string;
  /** Waits for every platform, also for one that cannot be reached at the first attempt. */
  readonly waitsForAll?: boolean;
  /** What it is started with, where that is not what this command was given. */
  readonly start?: GatewayStart;
}

/** With which config, and from where, a gateway is started. */
export interface GatewayStart {
  readonly configPath: string | undefined;
  readonly workingDirectory: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Starts a gateway that outlives this process, and waits until it runs and its platforms were tried; not long for one
 * that is slow. Throws GATEWAY_NOT_STARTED with its last words.
 */
export async function launchGateway(
  { io, configPath }: CliContext,
  host: Host,
  { platform, waitsForAll = false, start = { ...io, configPath } }: LaunchOptions = {},
): Promise<GatewayRow> {
  const log = outOf(host.home);
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const out = openSync(log, "a", 0o600);
  const before = statSync(log).size;
  const child = spawn(
    process.execPath,
    [HERMES_BIN, "gateway", ...(start.configPath === undefined ? [] : ["--config", start.configPath])],
    {
      cwd: start.workingDirectory,
      env: start.environment,
      detached: true,
      stdio: ["ignore", out, out],
    },
  );
  closeSync(out);
  let ended: string | null = null;
  child.once("error", (error) => (ended = error.message));
  child.once("exit", (code, signal) => (ended = `it ended with ${signal ?? `code ${code}`}`));
  child.unref();

  try {
    return await untilGatewayRuns(host, () => child.pid ?? null, {
      platform,
      waitsForAll,
      failure: () => (ended === null ? null : (lastWords(log, before, host.container.resolve(REDACTOR)) ?? ended)),
    });
  } catch (error) {
    if (ended === null) child.kill("SIGTERM");
    throw error;
  }
}

/**
 * Waits until the gateway with that pid runs and its platforms were tried. Throws GATEWAY_NOT_STARTED when `failure`
 * says why it does not, or it gives no sign of life.
 */
export async function untilGatewayRuns(
  { store, clock, home }: Pick<Host, "store" | "clock" | "home">,
  pid: () => number | null,
  {
    platform,
    waitsForAll = false,
    failure = () => null,
  }: Omit<LaunchOptions, "start"> & { readonly failure?: () => string | null },
): Promise<GatewayRow> {
  const until = clock.now() + START_WITHIN_MS;
  let patientUntil: number | null = null;
  for (;;) {
    const row = (await store.gateways.alive()).find(({ holder }) => holder.pid === pid());
    if (row) {
      patientUntil ??= platform === undefined && !waitsForAll ? clock.now() + PATIENCE_MS : until;
      const awaited = row.platforms.filter((served) => platform === undefined || served.platform === platform);
      if (awaited.every(waitsForAll ? isSettled : wasTried) || clock.now() >= patientUntil) return row;
    }
    const reason = failure();
    if (reason !== null) throw notStarted(reason, outOf(home));
    if (clock.now() >= until) throw notStarted(`no sign of life after ${START_WITHIN_MS / 1000} s`, outOf(home));
    await sleep(clock, LOOK_AGAIN_MS);
  }
}

/** What a gateway in the background prints. */
function outOf(home: string): string {
  return join(home, "logs", "gateway.out");
}

function wasTried({ health }: ServedPlatform): boolean {
  return health.state !== "starting";
}

/** Up, or down for a reason that does not pass by itself. */
function isSettled({ health, isRecovering = false, standby }: ServedPlatform): boolean {
  return standby || (health.state !== "starting" && !isRecovering);
}

function notStarted(reason: string, log: string): HermesError {
  return new HermesError("GATEWAY_NOT_STARTED", { reason: withoutFullStop(reason), log });
}

/** What the child said before it ended, on one line. */
function lastWords(log: string, from: number, redact: Redactor): string | null {
  const text = redact(readFileSync(log).subarray(from).toString("utf8")).replaceAll(/\s+/g, " ").trim();
  return text === "" ? null : text.slice(-400);
}
