import type { Command } from "./command.ts";

/** Leaves the terminal, which implements it; the session does not change. */
export const quitCommand: Command = {
  name: "quit",
  description: "Leave the terminal; the session stays as it is",
  category: "Info",
  aliases: ["exit", "q"],
  argumentHint: "",
  cliOnly: true,
};
