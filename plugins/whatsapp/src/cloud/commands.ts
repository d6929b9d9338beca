import type { CommandInfo, Logger } from "@hermes/core";
import { PlatformError } from "@hermes/core";
import type { GraphClient } from "./graph-client.ts";

/** "Conversational components": so many commands, and so many characters of a name and a description. */
const MOST_COMMANDS = 30;
const LONGEST_NAME = 32;
const LONGEST_DESCRIPTION = 256;

/** People's apps list the commands behind a slash; a number works without that, so a refusal is only noted. */
export async function registerCommands(
  graph: GraphClient,
  phoneNumberId: string,
  commands: readonly CommandInfo[],
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const listed = commands
    .filter(({ name }) => name.length <= LONGEST_NAME)
    .slice(0, MOST_COMMANDS)
    .map(({ name, description, argumentHint }) => ({
      command_name: name,
      command_description: `${description} ${argumentHint}`.trim().slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    }));
  try {
    await graph.call({
      method: "POST",
      path: `${phoneNumberId}/conversational_automation`,
      body: { commands: listed },
      signal,
    });
  } catch (error) {
    if (error instanceof PlatformError && error.code === "PLATFORM_UNAUTHORISED") throw error;
    logger.warn({ error }, "the slash commands could not be registered");
  }
}
