import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { Approval } from "../../model/approval.ts";
import { askedText } from "../../model/approval-text.ts";
import type { Session } from "../../model/session.ts";
import { readExactRule } from "../../permissions/exact-rule.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import type { CliContext } from "../context.ts";
import { PluginProject } from "../plugins/plugin-project.ts";

/**
 * Writes the rules that would allow a call into the config that says what its session may do. False where that is to be
 * edited by hand: what belongs into it is printed. Throws APPROVAL_ONCE_ONLY where a rule is none for a config, and what
 * keeps it from being written.
 */
export async function allowAlways(
  context: CliContext,
  { container }: Host,
  session: Session,
  approval: Approval,
): Promise<boolean> {
  const { rules, code } = approval;
  // An earlier Hermes kept rules that make a config unreadable, or that stand for more than was shown.
  if (rules.some((rule) => readExactRule(rule) === null)) {
    throw new HermesError("APPROVAL_ONCE_ONLY", { asked: askedText(approval), code });
  }
  const { output } = context;
  const policy = container.resolve(TOOL_POLICY);
  const directory = policy.directoryOf(session);
  const isOwn = policy.isOwnConfig(session) || directory === null;
  const where = isOwn ? context : inFolder(context, directory);
  // Nobody is asked about a config that has changed: the terminal has a question already.
  const project = await PluginProject.find(where, { asks: false });
  const outcome = await project.edit(rules.map((rule) => ({ kind: "rule", list: "allow", rule }) as const));
  if ("paste" in outcome) {
    output.line(`${project.file} cannot be edited for you. Put this into it:\n${outcome.paste}`);
    return false;
  }
  if (isOwn) policy.addAllowed(rules);
  output.note(`Added to allow of ${project.file}: ${rules.join(", ")}.`);
  return true;
}

/** As if the command had been given in a folder, and no config named. */
function inFolder(context: CliContext, workingDirectory: string): CliContext {
  const { HERMES_CONFIG: _, ...environment } = context.io.environment;
  return { ...context, configPath: undefined, io: { ...context.io, workingDirectory, environment } };
}
