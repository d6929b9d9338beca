import type { Command } from "commander";
import type { Act } from "../program.ts";

/** `hermes config check`, `hermes trust` */
export function addSetupCommands(program: Command, act: Act): void {
  program
    .command("config")
    .description("look at the config")
    .command("check", { isDefault: true })
    .description("read and check the config, and say everything that is wrong with it")
    .action(act(async () => (await import("./check.ts")).checkConfigFile));

  program
    .command("trust [folder]")
    .description("let hermes load the config of a folder, which is code, as it stands; without one, of this folder")
    .option("--home", "take what is in Hermes' home for your own, where others could write to it, and close it")
    .action(act(async () => (await import("./trust.ts")).trust));
}
