import { statSync } from "node:fs";
import { join } from "node:path";
import { ageText, withoutFullStop } from "../../../base/text.ts";
import { CORE_FOLDER } from "../../../config/own-project.ts";
import { type GatewayRow, platformState, type ServedPlatform } from "../../../model/gateway-row.ts";
import { accountName } from "../../../model/identity.ts";
import { type Check, type DoctorContext, type DoctorFinding, ok, problem, warning } from "../check.ts";

const RESTART = "Run `hermes gateway restart`.";

export const gatewayCheck: Check = {
  name: "gateway",
  title: "Gateway",
  async run(context) {
    const content = await context.store().then(
      (report) => (report.size === null ? { alive: [], silent: [] } : report.content),
      () => null,
    );
    if (content === null) return [ok("Not checked, because the store cannot be read.")];
    const { alive, silent } = content;
    const platforms = (context.checked?.config?.plugins ?? []).map(({ descriptor }) => descriptor.platform);
    if (alive.length + silent.length === 0) return [nobody(platforms)];
    return [
      ...silent.map((gateway) => ofSilent(gateway, context)),
      ...alive.flatMap((gateway) => ofAlive(gateway, context)),
      ...(silent.length === 0 ? notServed(alive, context) : []),
    ];
  },
};

function nobody(platforms: readonly string[]): DoctorFinding {
  if (platforms.length === 0) return ok("No gateway is running, and none is needed: no platform is configured.");
  const message = `No gateway is running, so nobody serves ${[...new Set(platforms)].join(", ")}.`;
  return warning(message, "Run `hermes gateway --detach`.");
}

function ofSilent(gateway: GatewayRow, context: DoctorContext): DoctorFinding {
  const { holder, heartbeatAt } = gateway;
  if (context.probe.isStopped?.(holder)) return stopped(gateway);
  const age = ageText(context.clock.now() - heartbeatAt);
  const message = `The gateway (pid ${holder.pid}) has said nothing for ${age}.`;
  return problem(
    message,
    "It may be starting. If this lasts, look at the log in Hermes' home, and run `hermes gateway restart`.",
  );
}

function stopped({ holder: { pid } }: GatewayRow): DoctorFinding {
  return problem(
    `The gateway (pid ${pid}) is stopped, as by Ctrl-Z: it serves nobody, and is in the way of others.`,
    `\`kill -CONT ${pid}\` resumes it.`,
  );
}

function ofAlive(gateway: GatewayRow, context: DoctorContext): DoctorFinding[] {
  const { holder, configPath, configChanged, platforms, startedAt } = gateway;
  if (context.probe.isStopped?.(holder)) return [stopped(gateway)];
  const who = `The gateway (pid ${holder.pid})`;
  const findings = [ok(`${who} runs, for ${ageText(context.clock.now() - startedAt)}.`)];
  const own = context.checked?.path ?? null;
  if (context.checked !== null && configPath !== own) {
    const other = configPath ?? "none, the defaults";
    findings.push(
      warning(
        `${who} runs on another config than this command: ${other}.`,
        `Name it: \`hermes doctor --config ${other}\`, or restart the gateway on this one.`,
      ),
    );
  }
  if (configChanged)
    findings.push(warning(`${who} was started before the config changed, and still uses the old one.`, RESTART));
  if (installedAt() > startedAt)
    findings.push(warning(`${who} was started before this Hermes was installed.`, RESTART));
  if (platforms.length === 0) findings.push(warning(`${who} serves no platform.`, "Add one: `hermes init`."));
  return [...findings, ...platforms.flatMap(ofPlatform)];
}

/** When the core that runs here came to its place, in milliseconds since 1970. npm sets no honest time of change. */
function installedAt(): number {
  return statSync(join(CORE_FOLDER, "package.json")).ctimeMs;
}

function ofPlatform(platform: ServedPlatform): DoctorFinding[] {
  const { health, standby, notice, unreachable = [] } = platform;
  const name = accountName(platform);
  const message = `${name}: ${standby ? "standing by for another gateway" : platformState(platform).join(", ")}.`;
  const noticed = [
    ...(notice === undefined ? [] : [warning(notice, "`hermes home` shows who is recorded.")]),
    ...unreachable.map(({ called, reason }) =>
      warning(
        `${name}: the place “${called}” of the config cannot be reached: ${withoutFullStop(reason)}.`,
        "Check that the bot is in that chat and that the id is right.",
      ),
    ),
  ];
  if (standby || health.state === "up") return [ok(message), ...noticed];
  const hint = "What is found on this platform below may say why; the log in Hermes' home has the rest.";
  return [health.state === "down" ? problem(message, hint) : warning(message, hint), ...noticed];
}

/** Platforms of this config that no gateway which runs on it serves. */
function notServed(alive: readonly GatewayRow[], { checked }: DoctorContext): DoctorFinding[] {
  const ours = alive.filter(({ configPath }) => configPath === checked?.path);
  if (ours.length === 0) return [];
  const served = ours.flatMap(({ platforms }) => platforms);
  const missing = (checked?.config?.plugins ?? []).filter(
    ({ descriptor, options }) =>
      !served.some(({ platform, account }) => platform === descriptor.platform && account === options.account),
  );
  if (missing.length === 0) return [];
  const names = missing.map(({ descriptor }) => descriptor.platform).join(", ");
  return [warning(`No gateway serves ${names}, which the config names.`, RESTART)];
}
