import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes init` */
export function addInitCommand(program: Command, act: MakeAction): void {
  const several = (value: string, before: readonly string[] = []) => [...before, value];
  program
    .command("init")
    .description("set Hermes up: model, platforms, gateway, and a first handoff; run it again to change them")
    .option("-y, --yes", "ask nothing: use the flags, and defaults for the rest")
    .option("--model <provider/model>", "the model; `none` for a set-up without one")
    .option("--platform <name[:way]>", "set this platform up (repeat for more)", several)
    .option(
      "--set <platform.option=value>",
      "an option of a platform (again for more); secrets come from variables",
      several,
    )
    .option("--home <platform=chat>", "its home channel, rather than the chat that sends the one-time word", several)
    .option(
      "--shared-home <platform>",
      "others may read what is handed off in its home channel (again for more)",
      several,
    )
    .option("--allow <[platform=]id>", "who else may talk to it; `*` for everybody (repeat for more)", several)
    .option("--format <form>", "the form of a new config: ts, json or yaml", "ts")
    .option("--folder <folder>", "where the config is, or will be")
    .option("--no-gateway", "do not start a gateway, and hand nothing off")
    .addHelpText(
      "after",
      `
Nothing is written before its last question. Run it again to change the model, add a platform, or change one.

Examples:
  hermes init
  hermes init --yes --model none --folder bot
  BOT_TOKEN=… hermes init --yes --json --platform <name> --home <name>=<chat>
`,
    )
    .action(act(async () => (await import("./init.ts")).init));
}
