import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes doctor` */
export function addDoctorCommand(program: Command, act: MakeAction): void {
  program
    .command("doctor")
    .description("check everything that Hermes needs with real calls, and say what to do")
    .option("--fix", "repair what is safe to repair: file modes, the .gitignore, the store's log and its index")
    .action(act(async () => (await import("./doctor.ts")).doctor));
}
