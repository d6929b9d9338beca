import type { Command } from "commander";
import type { Act } from "../program.ts";

/** `hermes backup` and `hermes restore` */
export function addBackupCommands(program: Command, act: Act): void {
  program
    .command("backup [file]")
    .description("copy sessions and what plugins keep into one file; also while a gateway runs")
    .option("--with-config", "the config and its .env too: they hold secrets")
    .action(act(async () => (await import("./back-up.ts")).backUp));

  program
    .command("restore <file>")
    .description("go on with the sessions of a backup; the present home is put aside")
    .option("--with-plugins", "what plugins keep as well, where the present home has it: keys, places in histories")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./restore.ts")).restore));
}
