import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes update` */
export function addUpdateCommand(program: Command, act: MakeAction): void {
  program
    .command("update")
    .description("check for a newer Hermes, and say how to get it; changes nothing")
    .action(act(async () => (await import("./update.ts")).showUpdate));
}
