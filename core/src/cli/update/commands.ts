import type { Command } from "commander";
import type { Act } from "../program.ts";

/** `hermes update` */
export function addUpdateCommand(program: Command, act: Act): void {
  program
    .command("update")
    .description("check for a newer Hermes, and say how to get it; changes nothing")
    .action(act(async () => (await import("./update.ts")).showUpdate));
}
