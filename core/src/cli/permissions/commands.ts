import { Argument, type Command, Option } from "commander";
import type { MakeAction } from "../context.ts";

const LISTS = ["allow", "ask", "deny"];

/** `hermes permissions` */
export function addPermissionCommands(program: Command, act: MakeAction): void {
  const permissions = program
    .command("permissions")
    .description("list, add and remove the rules of what the agent's tools may do")
    .addHelpText(
      "after",
      `
A rule is a tool, or a tool and a pattern: read, write(src/**), shell(npm test), shell(git log *).
\`deny\` beats \`ask\`, and \`ask\` beats \`allow\`.

Examples:
  hermes permissions add "shell(npm test)"             the agent may run that without asking
  hermes permissions add "read(secret/**)" --to deny   and may never read this
  hermes permissions remove "shell(npm test)"          take a rule out of the config again
`,
    );
  permissions
    .command("list", { isDefault: true })
    .description("list the rules of the config that is used here")
    .action(act(async () => (await import("./list.ts")).listPermissions));
  permissions
    .command("add")
    .addArgument(new Argument("<rule>", "such as shell(npm test), in quotation marks"))
    .description("add a rule to the config")
    .addOption(new Option("--to <list>", "what the rule does").choices(LISTS).default("allow"))
    .action(act(async () => (await import("./change.ts")).addPermission));
  permissions
    .command("remove")
    .addArgument(new Argument("<rule>", "as `hermes permissions` shows it"))
    .description("remove a rule from the config, from each list that has it")
    .addOption(new Option("--from <list>", "only out of this one").choices(LISTS))
    .action(act(async () => (await import("./change.ts")).removePermission));
}
