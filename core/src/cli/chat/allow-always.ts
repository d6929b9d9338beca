import type { Approval } from "../../model/approval.ts";
import type { CliContext } from "../context.ts";
import { PluginProject } from "../plugins/plugin-project.ts";

/**
 * Writes the rules that would allow a call into the config of its session's directory. False where the config is to be
 * edited by hand: what belongs into it is printed. Throws what keeps it from being written.
 */
export async function allowAlways(
  context: CliContext,
  { rules }: Pick<Approval, "rules">,
  directory: string | null,
): Promise<boolean> {
  const { io, output } = context;
  const workingDirectory = directory ?? io.workingDirectory;
  // Nobody is asked about a config that has changed: the terminal has a question already.
  const project = await PluginProject.find({ ...context, io: { ...io, workingDirectory } }, { asks: false });
  const outcome = await project.edit(rules.map((rule) => ({ kind: "rule", list: "allow", rule }) as const));
  if ("paste" in outcome) {
    output.line(`${project.file} cannot be edited for you. Put this into it:\n${outcome.paste}`);
    return false;
  }
  output.note(`${rules.join(", ")} is in allow of ${project.file}.`);
  return true;
}
