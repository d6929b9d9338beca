import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes link` */
export function addLinkCommand(program: Command, act: MakeAction): void {
  program
    .command("link [code]")
    .description("make an account on a platform yours, or somebody's: both ends are asked")
    .option("--code <code>", "the same as the argument")
    .option("--person <person>", "whose account it is; yours by default")
    .option("-y, --yes", "do not ask whether it is them")
    .addHelpText(
      "after",
      `
Without a code it prints one. Send that to the bot in a private chat, from the account to link; then this terminal shows
who sent it, and asks. The other way: write /link to the bot, and type the code that it answers here.

Examples:
  hermes link                               print a code, and wait until somebody has sent it
  hermes link --person Ada                  for somebody else
  hermes link K7QM-2XWD                     a code that /link gave, or that was sent meanwhile
  hermes link --code K7QM-2XWD --yes --json in a script
`,
    )
    .action(act(async () => (await import("./link.ts")).link));
}
