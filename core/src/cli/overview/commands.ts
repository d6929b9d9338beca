import type { Command } from "commander";
import type { MakeAction } from "../context.ts";
import { parseCount } from "../parse-option.ts";

/** `hermes lanes` and `hermes leases` */
export function addOverviewCommands(program: Command, act: MakeAction): void {
  program
    .command("lanes")
    .description("show the conversations in which messages wait, and what for")
    .option("-n, --limit <number>", "how many", parseCount, 50)
    .action(act(async () => (await import("./lanes.ts")).showLanes));

  program
    .command("leases")
    .description("show which process holds which account, turn and handoff, and until when")
    .action(act(async () => (await import("./leases.ts")).showLeases));
}
