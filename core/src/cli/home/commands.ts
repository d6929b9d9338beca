import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes home` */
export function addHomeCommands(program: Command, act: MakeAction): void {
  const home = program
    .command("home")
    .description("show who is the operator in the home channels")
    .addHelpText(
      "after",
      `
The person who was in a private chat when it became the home channel is the operator there. Whoever comes later is not.

Examples:
  hermes home                               who is recorded, and who is there now
  hermes home operator matrix @ada:hs.org   make somebody the operator in it
`,
    )
    .action(act(async () => (await import("./list.ts")).listHomes));

  home
    .command("operator <platform> <id>")
    .description("record who is the operator in the home channel of a platform (or `<platform>:<account>`)")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./operator.ts")).setHomeOperator));
}
