import { HermesError } from "../../base/errors.ts";
import { RULE_KINDS, type RuleKind, readRule } from "../../permissions/rule.ts";
import type { CliContext } from "../context.ts";
import { PluginProject } from "../plugins/plugin-project.ts";

/** `hermes permissions add`: puts a rule into the config that is used here, or prints the lines for it. */
export async function addPermission(
  context: CliContext,
  rule: string,
  { to: list }: { readonly to: RuleKind },
): Promise<undefined> {
  const { output } = context;
  const { problem } = readRule(rule);
  if (problem !== null) throw new HermesError("PERMISSION_RULE_INVALID", { rule, reason: problem });
  const project = await PluginProject.find(context);
  const { file } = project;
  const outcome = await project.edit([{ kind: "rule", list, rule }]);
  const isChanged = "isChanged" in outcome && outcome.isChanged;
  const paste = "paste" in outcome ? outcome.paste : null;
  output.document({ config: file, list, rule, isChanged, ...(paste === null ? {} : { paste }) });
  if (paste !== null) output.line(`${file} cannot be edited for you. Put this into it:\n${paste}`);
  else output.line(isChanged ? `Added to ${list} of ${file}: ${rule}.` : `Already in ${list} of ${file}: ${rule}.`);
}

/** `hermes permissions remove`: takes a rule out of the lists that have it. */
export async function removePermission(
  context: CliContext,
  rule: string,
  { from }: { readonly from?: RuleKind },
): Promise<undefined> {
  const { output } = context;
  const project = await PluginProject.find(context);
  const { file } = project;
  const lists: RuleKind[] = [];
  for (const list of from === undefined ? RULE_KINDS : [from]) {
    const outcome = await project.edit([{ kind: "remove-rule", list, rule }]);
    if ("paste" in outcome) throw new HermesError("CONFIG_BY_HAND", { file, package: rule });
    if (outcome.isChanged) lists.push(list);
  }
  if (lists.length === 0) throw new HermesError("PERMISSION_RULE_UNKNOWN", { file, rule });
  output.document({ config: file, rule, lists, isChanged: true });
  output.line(`Removed from ${lists.join(" and ")} of ${file}: ${rule}.`);
}
