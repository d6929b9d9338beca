import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes backup` and `hermes restore` */
export function addBackupCommands(program: Command, act: MakeAction): void {
  program
    .command("backup [file]")
    .description("copy sessions and what plugins keep into one file; also while a gateway runs")
    .option("--with-config", "include the config and its .env, which hold secrets")
    .action(act(async () => (await import("./back-up.ts")).backUp));

  program
    .command("restore <file>")
    .description("restore the sessions of a backup; the present home is moved aside")
    .option(
      "--with-plugins",
      "restore plugin data too, even where the present home has it: keys, positions in histories",
    )
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./restore.ts")).restore));
}
