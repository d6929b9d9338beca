import { randomIds } from "../base/ids.ts";
import { silentLogger } from "../base/logger.ts";
import { runAs } from "./plugin-context.ts";
import type { Examination, Finding, PluginSetup, PluginSetupContext } from "./plugin-setup.ts";

/**
 * Runs `examine` of a plugin's set-up. Rejects also with what it lets go wrong in the background. A plugin may be
 * anybody's: what its answer holds beside findings is left out.
 */
export async function runExamine(
  setup: PluginSetup,
  options: unknown,
  { folder, clock, signal }: Pick<PluginSetupContext, "folder" | "clock" | "signal">,
): Promise<Examination> {
  const failed = Promise.withResolvers<never>();
  const work = async () => setup.examine(options, { folder, clock, ids: randomIds, logger: silentLogger, signal });
  const answer = await Promise.race([runAs({ fail: failed.reject }, work), failed.promise]);
  const { account, findings } = Object(answer) as Partial<Examination>;
  return {
    account: typeof account?.name === "string" ? account : null,
    findings: (Array.isArray(findings) ? findings : []).filter(isFinding).map(withKnownParts),
  };
}

function isFinding({ state, message }: Finding): boolean {
  return ["ok", "warning", "problem"].includes(state) && typeof message === "string";
}

function withKnownParts({ state, message, hint }: Finding): Finding {
  return { state, message, ...(typeof hint === "string" && { hint }) };
}
