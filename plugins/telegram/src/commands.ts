import type { CommandInfo, Logger } from "@hermes/core";
import type { Api } from "grammy";
import type { BotCommand } from "grammy/types";
import { toApiSignal } from "./bot-api.ts";
import { toPlatformError } from "./errors.ts";

/** Characters of a command's description ("BotCommand"). */
const LONGEST_DESCRIPTION = 256;

/** Registers the commands for people's clients, with lower-case names; the bot works without that. */
export async function registerCommands(
  api: Api,
  commands: readonly CommandInfo[],
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const listed: BotCommand[] = commands.map(({ name, description, argumentHint }) => ({
    command: telegramName(name),
    description: `${description} ${argumentHint}`.trim().slice(0, LONGEST_DESCRIPTION).toWellFormed(),
  }));
  try {
    await api.setMyCommands(listed, undefined, toApiSignal(signal));
  } catch (error) {
    const { code, message } = toPlatformError(error);
    if (code === "PLATFORM_UNAUTHORISED") throw error;
    logger.warn({ code, reason: message }, "the slash commands could not be registered");
  }
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
