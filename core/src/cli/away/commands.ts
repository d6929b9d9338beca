import { type Command, InvalidArgumentError, Option } from "commander";
import { REST_MS, readRest } from "../../model/away.ts";
import type { MakeAction } from "../context.ts";

/** `hermes away` */
export function addAwayCommand(program: Command, act: MakeAction): void {
  program
    .command("away [place]")
    .description("hand a session off automatically, once, when you leave the terminal")
    .option("-s, --session <session>", "which one: number, title or id; else the one last used in this folder")
    .addOption(
      new Option(
        "--rest <time>",
        "how long without a key press until the terminal counts as idle, such as 90s, 10m or 1h",
      )
        .argParser(parseRest)
        .default(REST_MS, "10m"),
    )
    .option("-y, --yes", "do not ask, although others can read it there")
    .option("--off", "turn this off")
    .addHelpText(
      "after",
      `
It is handed off when a turn ends or waits for an answer after you left the terminal or it went idle.

Examples:
  hermes away <platform>                the session last used in this folder goes to your home channel there
  hermes away <platform> -s plan --rest 2m
  hermes away -s plan                   where it would go
  hermes away -s plan --off
`,
    )
    .action(act(async () => (await import("./away.ts")).away));
}

function parseRest(text: string): number {
  const ms = readRest(text);
  if (ms === null) throw new InvalidArgumentError("It has to be a time such as 90s, 10m or 1h, of a minute to a day.");
  return ms;
}
