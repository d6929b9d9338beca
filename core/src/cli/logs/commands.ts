import { type Command, Option } from "commander";
import { LOG_LEVELS } from "../../log/log-levels.ts";
import type { MakeAction } from "../context.ts";
import { parseCount } from "../parse-option.ts";
import { parseSince } from "../parse-since.ts";

/** `hermes logs` */
export function addLogsCommand(program: Command, act: MakeAction): void {
  program
    .command("logs")
    .description("show what gateways and terminals wrote to the log")
    .option("-f, --follow", "keep printing new entries, until Ctrl-C")
    .option("-n, --lines <number>", "show only the last <number> entries", parseCount, 100)
    .addOption(new Option("--level <level>", "only entries of this level and above").choices(LOG_LEVELS))
    .option(
      "--since <time>",
      "only entries since then: 15m, 12h, 7d, 2026-01-31, 2026-01-31T09:00 (local time)",
      parseSince,
    )
    .addHelpText(
      "after",
      `
With --json each line is one JSON document, as in the log; with -f each is printed as it is written.

Examples:
  hermes logs -f                       follow it
  hermes logs --level warn --since 1h  what went wrong in the last hour
`,
    )
    .action(act(async () => (await import("./show-logs.ts")).showLogs));
}
