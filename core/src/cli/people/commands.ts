import type { Command } from "commander";
import type { Act } from "../program.ts";
import { addRequestCommands } from "./request-commands.ts";

/** `hermes people …` */
export function addPeopleCommands(program: Command, act: Act): void {
  const people = program.command("people").description("let newcomers in");
  addRequestCommands(people, act);
}
