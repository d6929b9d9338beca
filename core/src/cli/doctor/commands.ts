import type { Command } from "commander";
import type { Act } from "../program.ts";

/** `hermes doctor` */
export function addDoctorCommand(program: Command, act: Act): void {
  program
    .command("doctor")
    .description("examine everything that hermes needs, by real calls, and say what to do")
    .option("--fix", "mend what is safe to mend: modes of files, the .gitignore, the store's log and its index")
    .action(act(async () => (await import("./doctor.ts")).doctor));
}
