import type { Command } from "./command.ts";

/** The terminal leaves by itself; nothing about the session changes. */
export const quitCommand: Command = {
  name: "quit",
  description: "Leave the terminal; the session stays as it is",
  category: "Info",
  aliases: ["exit", "q"],
  argumentHint: "",
  cliOnly: true,
};
