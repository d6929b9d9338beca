import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes models` */
export function addModelCommands(program: Command, act: MakeAction): void {
  program
    .command("models [provider] [text]")
    .description("list what the configured providers offer, with window and price")
    .addHelpText(
      "after",
      `
It asks each provider, which costs nothing. Prices are in US dollars for a million tokens.

Examples:
  hermes models                      all providers with a key, and the servers of this machine
  hermes models openrouter qwen      those of one provider whose name has "qwen"
  hermes models opus                 those of all providers whose name has "opus"
`,
    )
    .action(act(async () => (await import("./list.ts")).listOffers));
}
