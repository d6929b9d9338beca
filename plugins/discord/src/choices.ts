import type { AdapterContext, CatchUp, Choice, ChoiceLimits, Clock, Logger, Press } from "@hermes/core";
import { isDoneWithin } from "@hermes/core";
import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIInteraction,
  type APIMessageComponentInteraction,
  ButtonStyle,
  type Client,
  ComponentType,
  InteractionResponseType,
  InteractionType,
  Routes,
} from "discord.js";
import type { Channels } from "./channels.ts";
import { ANSWER_WITHIN_MS } from "./commands.ts";
import { codeOf } from "./errors.ts";
import { nameOf } from "./inbound.ts";
import { conversationIn } from "./source.ts";

/** Five rows of five buttons (API reference, "Action Row"), and so many characters on each ("Button"). */
export const CHOICE_LIMITS: ChoiceLimits = { most: 25, labelLength: 80 };

const BUTTONS_IN_ROW = 5;

const STYLES = {
  plain: ButtonStyle.Secondary,
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
} as const;

/** The choices as rows of buttons. */
export function toRows(choices: readonly Choice[]): APIActionRowComponent<APIButtonComponentWithCustomId>[] {
  const buttons = choices.map(({ id, label, style }): APIButtonComponentWithCustomId => {
    return { type: ComponentType.Button, style: STYLES[style], label, custom_id: id };
  });
  return Array.from({ length: Math.ceil(buttons.length / BUTTONS_IN_ROW) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: buttons.slice(row * BUTTONS_IN_ROW, (row + 1) * BUTTONS_IN_ROW),
  }));
}

interface PressParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly catchUp: CatchUp;
  readonly choose: AdapterContext["choose"];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export function isPress(interaction: APIInteraction): interaction is APIMessageComponentInteraction {
  // Events have lacked fields that the reference has in them.
  const { type, channel, message, data } = interaction as Partial<APIMessageComponentInteraction>;
  return type === InteractionType.MessageComponent && Boolean(channel && message && data);
}

/**
 * Takes the press of a button, behind what was written in the channel before. It is acknowledged without a word once
 * Hermes has it; where Hermes is slow to take it, before that, since Discord does not wait. Discord sends a press once:
 * of one that is acknowledged early and not kept when the process ends, nothing is left, and people press again.
 */
export async function takePress(interaction: APIMessageComponentInteraction, parts: PressParts): Promise<void> {
  const { client, channels, catchUp, choose, clock, logger, signal } = parts;
  const { id, token, channel } = interaction;
  const place = channel.id;
  if (interaction.guild_id === undefined) channels.rememberDirect(place, channel.type);
  const taken = catchUp.takeBeside({
    place,
    id,
    async decode() {
      const press = await decodePress(interaction, channels);
      if (press !== null) await choose(press);
      return null;
    },
  });
  await isDoneWithin(clock, ANSWER_WITHIN_MS, taken);
  // Nobody takes it any more, and Discord says so to whoever pressed.
  if (signal.aborted) return;
  try {
    await client.rest.post(Routes.interactionCallback(id, token), {
      auth: false,
      body: { type: InteractionResponseType.DeferredMessageUpdate },
    });
  } catch (error) {
    // Too late, or repeated: the press is taken all the same. The error's address holds the interaction's secret.
    logger.debug({ interaction: id, code: codeOf(error) }, "a press could not be acknowledged");
  }
}

/** Null in a channel that the bot cannot see. */
async function decodePress(
  { message, data, member, ...interaction }: APIMessageComponentInteraction,
  channels: Channels,
): Promise<Press | null> {
  const channel = await channels.find(interaction.channel.id);
  const user = member?.user ?? interaction.user;
  if (channel === null || !user) return null;
  return {
    conversation: conversationIn(channel),
    messageId: message.id,
    choiceId: data.custom_id,
    sender: { id: user.id, name: nameOf(user, member?.nick) },
  };
}
