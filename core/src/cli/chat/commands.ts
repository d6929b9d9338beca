import { type Command, Option } from "commander";
import { SESSION_MODES } from "../../model/session-mode.ts";
import type { MakeAction } from "../context.ts";

/** `hermes`, `hermes chat` and `hermes resume` */
export function addChatCommands(program: Command, act: MakeAction): void {
  program
    .command("chat", { isDefault: true })
    .description("talk to the agent in this terminal; each line of piped input is a message")
    .option("-q, --query <message>", "ask this, print the answer and exit; - reads the question from piped input")
    .option("-s, --session <session>", "continue a session: number, title or id")
    .option("-c, --continue", "continue the session that was last used in this folder")
    .addOption(new Option("--mode <mode>", "how much it asks before a tool runs").choices(SESSION_MODES))
    .option("--model <provider/model>", "the model of this session; `hermes models` lists what there is")
    .option("--wait", "with -q or piped input: let questions wait for an answer instead of denying them")
    .option("--gateway", "start a gateway in the background when none runs")
    .addHelpText(
      "after",
      `
Examples:
  hermes                                  a new session
  hermes chat -q "Summarise README.md"    one question; --json for scripts
  git diff | hermes chat -q "Review this" what is piped in stands below the question
  hermes chat --mode plan                 it only reads; Shift-Tab changes the mode
  hermes chat -q "Run the tests" --wait   ends with 75 and a code: hermes approvals allow <code>
  hermes --continue                       where you left off in this folder
  hermes chat --session plan              the same as: hermes resume plan
`,
    )
    .action(act(async () => (await import("./start.ts")).startChat));

  program
    .command("resume [session]")
    .alias("attach")
    .description("open a session, to see it and go on: number, title or id; without one, choose from a list")
    .option("--read-only", "only show what is said in it, as it is written")
    .addHelpText(
      "after",
      `
It may be open elsewhere too: messages from there are shown here as they are written, and you can write from either.

Examples:
  hermes resume plan                      go on with the session "plan" here
  hermes attach plan --read-only          look on; \`attach\` is another name of \`resume\`
`,
    )
    .action(act(async () => (await import("./resume.ts")).resume));
}
