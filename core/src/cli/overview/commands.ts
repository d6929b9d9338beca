import type { Command } from "commander";
import { parseCount } from "../parse-option.ts";
import type { Act } from "../program.ts";

/** `hermes lanes` and `hermes leases` */
export function addOverviewCommands(program: Command, act: Act): void {
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
