import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes config check` and `show`, `hermes trust` */
export function addSetupCommands(program: Command, act: MakeAction): void {
  const config = program.command("config").description("check and show the config");
  config
    .command("check", { isDefault: true })
    .description("read the config, and report everything that is wrong with it")
    .action(act(async () => (await import("./check.ts")).checkConfigFile));
  config
    .command("show")
    .description("show the config with its defaults, and where each value comes from; secrets are left out")
    .action(act(async () => (await import("./show-config.ts")).showConfig));

  program
    .command("trust [folder]")
    .description("let Hermes load a folder's config, which is code, as it is now; by default, this folder's")
    .option(
      "--home",
      "accept the files in Hermes' home as yours although others could write to it, and make it private",
    )
    .action(act(async () => (await import("./trust.ts")).trust));
}
