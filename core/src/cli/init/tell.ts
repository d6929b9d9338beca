import { basename, join } from "node:path";
import { checkConfig } from "../../config/check-config.ts";
import { envFileIn } from "../../config/env-file.ts";
import type { GatewayRow } from "../../model/gateway-row.ts";
import type { Handoff } from "../../model/handoff.ts";
import { accountName } from "../../model/identity.ts";
import { styled } from "../../terminal/styled.ts";
import { packageManagerOf } from "../plugins/package-manager.ts";
import type { Asking } from "./asking.ts";
import type { Init } from "./draft.ts";
import type { Plan } from "./plan.ts";

/** Says exactly what is going to be written, installed and started. */
export function printPlan({ context, target, draft, flags }: Init, plan: Plan): void {
  const { output } = context;
  const { bold } = output.colors;
  const parts = [
    ...(draft.model === undefined ? [] : [`model ${draft.model}`]),
    ...[...draft.platforms.values()].map(
      ({ plugin, options }) => `${nameOf(plugin.platform, options)}${homeOf(options)}`,
    ),
  ];
  output.line();
  output.line(bold("This will be done"));
  if (plan.paste !== null)
    output.line(`  ${plan.file} has to be changed by you; the lines to add are shown: ${parts.join(", ")}`);
  else if (plan.edits.length > 0 || target.file === null) {
    output.line(
      `  ${plan.file} is ${target.file === null ? "written" : "changed"}: ${parts.join(", ") || "no model, no platform"}`,
    );
  }
  if (plan.variables.length > 0) {
    output.line(`  ${envFileIn(target.folder)} gets ${plan.variables.join(", ")}, and is readable for you alone`);
    if (!plan.isEnvIgnored)
      output.line(`  ${join(target.folder, ".gitignore")} leaves ${basename(envFileIn(target.folder))} out`);
  }
  if (plan.packages.length > 0)
    output.line(`  ${packageManagerOf(target.folder).name} installs ${plan.packages.join(", ")}`);
  if (flags.gateway) output.line("  the gateway is started, and a first session handed off");
}

function nameOf(platform: string, { account }: Readonly<Record<string, unknown>>): string {
  return accountName({ platform, account: typeof account === "string" ? account : null });
}

function homeOf({ homeChannel, allowedUsers }: Readonly<Record<string, unknown>>): string {
  const { name, chatId } = Object(homeChannel) as { readonly name?: string; readonly chatId?: string };
  const home = name ?? chatId ?? (typeof homeChannel === "string" ? homeChannel : null);
  const people = Array.isArray(allowedUsers) && allowedUsers.length > 0 ? `, for ${allowedUsers.join(" ")}` : "";
  return `${home === null ? "" : ` with ${home} as home channel`}${people}`;
}

/** Shows the lines for a config that cannot be edited, and goes on once they are there. */
export async function pasteByHand({ context, home, target, draft }: Init, asking: Asking, plan: Plan): Promise<void> {
  const { output } = asking;
  output.line(
    styled`${output.colors.bold(plan.file)} is written in a way that cannot be edited for you. Put this into it:`,
  );
  output.line(`\n${plan.paste}`);
  for (;;) {
    await asking.text("Press Enter when it is there:");
    const { HERMES_CONFIG: _named, ...environment } = context.io.environment;
    const request = { configPath: plan.file, environment, workingDirectory: target.folder, home };
    const { config, problems } = await checkConfig(request);
    const platforms = config?.plugins.map(({ descriptor }) => descriptor.platform) ?? [];
    const missing = [...draft.platforms.values()]
      .map(({ plugin }) => plugin.platform)
      .filter((platform) => !platforms.includes(platform));
    const [problem] = problems;
    if (config !== null && missing.length === 0) return;
    output.line(problem?.message ?? `${missing.join(", ")} is not in it yet.`);
  }
}

interface Done {
  readonly written: readonly string[];
  readonly gateway: GatewayRow | null;
  readonly handoff: Handoff | null;
}

/** The document of `--json`; for people, what is left to do. */
export async function report({ context, target, draft, flags }: Init, plan: Plan, done: Done): Promise<void> {
  const { output } = context;
  const { written, gateway, handoff } = done;
  const platforms = [...draft.platforms.values()].map(({ plugin: { platform }, account, options, command }) => ({
    platform,
    account,
    homeChannel: options.homeChannel ?? null,
    command: command === null ? null : `hermes ${platform} ${command}`,
  }));
  output.document({
    folder: target.folder,
    config: plan.file,
    written,
    installed: plan.packages,
    model: draft.model ?? null,
    platforms,
    gateway: gateway && { pid: gateway.holder.pid, platforms: gateway.platforms.map(served) },
    handoff: handoff && { id: handoff.id, platform: handoff.platform, state: handoff.state, link: handoff.link },
  });
  for (const { command } of platforms) if (command !== null) output.line(`\`${command}\` connects the account.`);
  if (gateway === null && flags.gateway === false) output.line("`hermes gateway --detach` starts the gateway.");
}

function served({ platform, health }: GatewayRow["platforms"][number]) {
  return { platform, state: health.state, detail: health.detail ?? null };
}
