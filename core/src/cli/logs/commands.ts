import { type Command, Option } from "commander";
import { LOG_LEVELS } from "../../log/log-levels.ts";
import { parseCount } from "../parse-option.ts";
import type { Act } from "../program.ts";
import { parseSince } from "./parse-since.ts";

/** `hermes logs` */
export function addLogsCommand(program: Command, act: Act): void {
  program
    .command("logs")
    .description("show what gateways and terminals wrote to the log")
    .option("-f, --follow", "keep printing new entries, until Ctrl-C")
    .option("-n, --lines <number>", "the last so many", parseCount, 100)
    .addOption(new Option("--level <level>", "these and what is worse").choices(LOG_LEVELS))
    .option("--since <time>", "entries since then: 30s, 15m, 1h, 2d ago, or a date", parseSince)
    .addHelpText(
      "after",
      `
With --json each line is one JSON document, as it stands in the log; with -f they come one by one.

Examples:
  hermes logs -f                       follow it
  hermes logs --level warn --since 1h  what went wrong in the last hour
`,
    )
    .action(act(async () => (await import("./show-logs.ts")).showLogs));
}
