import type { CommandInfo } from "@hermes/core";
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type Client,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  Routes,
} from "discord.js";

/** Names that Discord takes (API reference, "Application Command Naming"). */
const NAME = /^[-_\p{Ll}\p{Lo}\p{N}]{1,32}$/u;

/** The longest description of a command and of an option, in characters. */
const DESCRIPTION_LIMIT = 100;

/** What the one option of a command is called; people see it while they type. */
const OPTION = "argument";

/** Makes Hermes' commands the application's own, in servers and in direct messages. */
export async function registerCommands(
  client: Client,
  applicationId: string,
  commands: readonly CommandInfo[],
): Promise<void> {
  const body = commands.filter(({ name }) => NAME.test(name)).map(commandBody);
  await client.rest.put(Routes.applicationCommands(applicationId), { body });
}

function commandBody({
  name,
  description,
  argumentHint,
}: CommandInfo): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const option = {
    type: ApplicationCommandOptionType.String,
    name: OPTION,
    description: cut(argumentHint),
    required: false,
  } as const;
  return {
    type: ApplicationCommandType.ChatInput,
    name,
    description: cut(description) || name,
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    ...(argumentHint !== "" && { options: [option] }),
  };
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= DESCRIPTION_LIMIT ? text : `${characters.slice(0, DESCRIPTION_LIMIT - 1).join("")}…`;
}
