import { type Command, Option } from "commander";
import type { MakeAction } from "../context.ts";
import { parseCount } from "../parse-option.ts";
import { parseSince } from "../parse-since.ts";

/** `hermes usage` */
export function addUsageCommand(program: Command, act: MakeAction): void {
  program
    .command("usage")
    .description("show the tokens and the cost of requests to models, by day or otherwise")
    .addOption(new Option("--by <what>", "one row for each").choices(["turn", "session", "day", "person", "model"]))
    .option("-s, --session <session>", "only this session, and how full its window is")
    .option(
      "--since <time>",
      "only requests since then: 15m, 12h, 7d, 2026-01-31, 2026-01-31T09:00 (local time; default: 30d; for one session, all)",
      parseSince,
    )
    .option("-n, --limit <number>", "how many rows", parseCount, 50)
    .addHelpText(
      "after",
      `
Examples:
  hermes usage                         each of the last 30 days
  hermes usage --by person --since 7d  who used how much this week
  hermes usage -s plan                 each turn of the session "plan"
`,
    )
    .action(act(async () => (await import("./show.ts")).showUsage));
}
