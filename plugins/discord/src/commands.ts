import {
  type CatchUp,
  type Clock,
  type CommandInfo,
  type InboundMessage,
  isDoneWithin,
  type Logger,
} from "@hermes/core";
import {
  type APIApplicationCommandInteraction,
  type APIChatInputApplicationCommandInteraction,
  type APIInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type Client,
  InteractionContextType,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  Routes,
} from "discord.js";
import type { Channels } from "./channels.ts";
import { codeOf } from "./errors.ts";
import { chatName, nameOf } from "./inbound.ts";
import { conversationIn, timeOf } from "./source.ts";

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

/** Discord shows a command or a press as failed after 3 s without an answer, in milliseconds. */
export const ANSWER_WITHIN_MS = 2_000;

interface InteractionParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly catchUp: CatchUp;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Takes a slash command as the message `/name argument`. Its reply is sent as any other message, so that it is in the
 * conversation for everybody and survives a restart. Discord's own answer is a sign for the one person that goes away
 * once Hermes has the command; where Hermes is slow to take it, the sign is there until then.
 */
export async function takeInteraction(interaction: APIInteraction, parts: InteractionParts): Promise<void> {
  const { client, channels, catchUp, clock, logger } = parts;
  if (!isSlashCommand(interaction)) return;
  const { id, token, application_id: applicationId } = interaction;
  const channelId = interaction.channel.id;
  if (interaction.guild_id === undefined) channels.rememberDirect(channelId, interaction.channel.type);
  const entry = { place: channelId, id, decode: () => decodeCommand(interaction, channels) };
  const taken = catchUp.take(entry, { isInHistory: false });
  await isDoneWithin(clock, ANSWER_WITHIN_MS, taken);
  try {
    await client.rest.post(Routes.interactionCallback(id, token), {
      auth: false,
      body: {
        type: InteractionResponseType.DeferredChannelMessageWithSource,
        data: { flags: MessageFlags.Ephemeral },
      },
    });
    await taken;
    await client.rest.delete(Routes.webhookMessage(applicationId ?? "", token), { auth: false });
  } catch (error) {
    // The command is taken all the same. The error itself is not logged: its address holds the interaction's secret.
    logger.debug({ interaction: id, code: codeOf(error) }, "a command could not be acknowledged");
  }
}

function isSlashCommand(interaction: APIInteraction): interaction is APIChatInputApplicationCommandInteraction {
  return (
    interaction.type === InteractionType.ApplicationCommand &&
    (interaction as APIApplicationCommandInteraction).data.type === ApplicationCommandType.ChatInput
  );
}

async function decodeCommand(
  interaction: APIChatInputApplicationCommandInteraction,
  channels: Channels,
): Promise<InboundMessage | null> {
  const channel = await channels.find(interaction.channel.id);
  const user = interaction.member?.user ?? interaction.user;
  if (channel === null || !user) return null;
  const [option] = interaction.data.options ?? [];
  const argument = option && "value" in option ? String(option.value) : "";
  const name = chatName(channel, channels);
  return {
    conversation: conversationIn(channel),
    // No message has this id, and none is to be looked up by it.
    messageId: `slash-${interaction.id}`,
    sender: { id: user.id, name: nameOf(user, interaction.member?.nick) },
    text: `/${interaction.data.name} ${argument}`.trim(),
    sentAt: timeOf(interaction.id),
    isAddressed: true,
    ...(name !== undefined && { chatName: name }),
  };
}
