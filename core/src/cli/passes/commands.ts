import { type Command, InvalidArgumentError, Option } from "commander";
import { readPassTime } from "../../base/duration.ts";
import type { MakeAction } from "../context.ts";

/** `hermes pass`, `hermes passes …` and `hermes continue` */
export function addPassCommands(program: Command, act: MakeAction): void {
  program
    .command("pass [session]")
    .description(
      "make a one-time code that opens a session at another place: number, title or id; the last used by default",
    )
    .option("--anyone", "for whoever sends it first: they can talk in that session, without tools")
    .option("--for <person>", "for that person, on any of their accounts, rather than for you")
    .addOption(
      new Option("--ttl <time>", "how long it can be used, such as 30m, 2h or 1d")
        .argParser(parseTime)
        .default(60 * 60_000, "1h"),
    )
    .addHelpText(
      "after",
      `
Send the pass to the bot in a private chat, as it is or as \`/continue <pass>\`, or type \`hermes continue <pass>\`.

Examples:
  hermes pass plan                  for yourself, on any platform
  hermes pass plan --anyone         for whoever sends it first: they talk in that session and do nothing else
  hermes passes                     which are open, and which are in use
  hermes passes revoke 3            end one
`,
    )
    .action(act(async () => (await import("./pass.ts")).makePass));

  const passes = program.command("passes").description("list and revoke the passes to sessions");

  passes
    .command("list", { isDefault: true })
    .description("list the passes that are open or in use")
    .action(act(async () => (await import("./list.ts")).listPasses));

  passes
    .command("revoke <number>")
    .description("revoke a pass and disconnect the chat that uses it")
    .action(act(async () => (await import("./revoke.ts")).revokePass));

  program
    .command("continue <pass>")
    .description("go on in this terminal with the session that a pass gives")
    .action(act(async () => (await import("./continue.ts")).continueWithPass));
}

function parseTime(text: string): number {
  const ms = readPassTime(text);
  if (ms === null)
    throw new InvalidArgumentError("It has to be a time such as 30m, 2h or 1d, from a minute to a week.");
  return ms;
}
