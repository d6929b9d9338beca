import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes places` */
export function addPlaceCommands(program: Command, act: MakeAction): void {
  program
    .command("places")
    .description("list the places that a session can be handed to")
    .command("list", { isDefault: true })
    .description("list the places by name, with who reads them and what to type")
    .action(act(async () => (await import("./list.ts")).listPlaces));
}
