import { Argument, type Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes approvals …` */
export function addApprovalCommands(program: Command, act: MakeAction): void {
  const approvals = program
    .command("approvals")
    .description("list, allow and deny what the agent asks before a tool runs")
    .addHelpText(
      "after",
      `
Examples:
  hermes approvals                         what waits for an answer
  hermes approvals allow k3mxp             allow it once
  hermes approvals allow k3mxp --session   allow similar calls for the rest of the session
  hermes approvals allow k3mxp 2           answer a question of the agent: by number, or in words
  hermes approvals deny k3mxp use pnpm     say no, and why
`,
    );

  approvals
    .command("list", { isDefault: true })
    .description("list the questions that wait for an answer, oldest first")
    .action(act(async () => (await import("./list.ts")).listApprovals));

  approvals
    .command("allow")
    .addArgument(new Argument("<code>", "as `hermes approvals` shows it"))
    .addArgument(new Argument("[answer...]", "the answer to a question of the agent"))
    .description("allow what the agent asks, once unless --session is given")
    .option("--session", "allow the rules that it needs for the rest of the session")
    .action(act(async () => (await import("./decide.ts")).allowApproval));

  approvals
    .command("deny")
    .addArgument(new Argument("<code>", "as `hermes approvals` shows it"))
    .addArgument(new Argument("[why...]", "why, for the agent"))
    .description("deny what the agent asks")
    .action(act(async () => (await import("./decide.ts")).denyApproval));
}
