import type { CommandInfo } from "@hermes/core";
import type { BotCommand } from "grammy/types";

/** Characters of a command's description ("BotCommand"). */
const LONGEST_DESCRIPTION = 256;

/** The commands as Telegram lists them to people: names of small letters, digits and underscores. */
export function toBotCommands(commands: readonly CommandInfo[]): BotCommand[] {
  return commands.map(({ name, description, argumentHint }) => ({
    command: telegramName(name),
    description: `${description} ${argumentHint}`.trim().slice(0, LONGEST_DESCRIPTION).toWellFormed(),
  }));
}

/**
 * What a person wrote as a command, as `/name argument`. Telegram adds the bot's name in groups, has underscores for
 * dashes, and says `/start` when a chat with a bot is opened for the first time.
 */
export function toCommandText(word: string, argument: string, commands: readonly CommandInfo[]): string {
  const written = word.slice(1).toLowerCase();
  if (written === "start") return "/help";
  const name = commands.find((command) => telegramName(command.name) === written)?.name ?? written;
  return `/${name} ${argument.trim()}`.trim();
}

function telegramName(name: string): string {
  return name.replaceAll("-", "_");
}
