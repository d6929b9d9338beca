import type { Command } from "commander";
import type { Act } from "../program.ts";

/** `hermes config check` and `show`, `hermes trust` */
export function addSetupCommands(program: Command, act: Act): void {
  const config = program.command("config").description("look at the config");
  config
    .command("check", { isDefault: true })
    .description("read and check the config, and say everything that is wrong with it")
    .action(act(async () => (await import("./check.ts")).checkConfigFile));
  config
    .command("show")
    .description("show the config with its defaults, and where each value comes from; secrets are left out")
    .action(act(async () => (await import("./show-config.ts")).showConfig));

  program
    .command("trust [folder]")
    .description("let hermes load the config of a folder, which is code, as it stands; without one, of this folder")
    .option("--home", "take what is in Hermes' home for your own, where others could write to it, and close it")
    .action(act(async () => (await import("./trust.ts")).trust));
}
