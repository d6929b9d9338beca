import { type AdapterEvents, type Clock, PlatformError } from "@hermes/core";
import type { SlackApi } from "./api.ts";
import type { SlackOptions } from "./config.ts";
import { type DecodeDeps, decodeCommand, type SlackCommand } from "./inbound.ts";

/** Slack waits three seconds for the acknowledgement; the look-up gets a part of them, in milliseconds. */
const LOOKED_UP_WITHIN_MS = 1_500;

export interface SlashCommandDeps {
  readonly api: SlackApi;
  readonly clock: Clock;
  readonly options: SlackOptions;
  readonly decoding: DecodeDeps;
}

/**
 * Takes a slash command. People can write one anywhere, also where the bot is not and could not answer: then whoever
 * the config knows is told so, by words that only they see. Resolves with those, or undefined.
 */
export async function takeSlashCommand(
  command: SlackCommand,
  receive: AdapterEvents["receive"],
  { api, clock, options, decoding }: SlashCommandDeps,
): Promise<string | undefined> {
  const message = decodeCommand(command, clock.now(), decoding);
  if (!message) return undefined;
  if (await canAnswer(api, command.channel_id)) {
    await receive(message);
    return undefined;
  }
  const isKnown = [...options.operators, ...options.allowedUsers].includes(command.user_id);
  return isKnown
    ? `I am not here. Invite me with \`/invite @${decoding.self.name}\`, or write to me directly.`
    : undefined;
}

async function canAnswer(api: SlackApi, channel: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOKED_UP_WITHIN_MS);
    const { channel: found } = await api.call("conversations.info", { channel }, { signal });
    return Object(found).is_member !== false;
  } catch (error) {
    // Only a channel that the bot does not see is one where it cannot answer; of others that is not known.
    return !(error instanceof PlatformError && error.code === "PLATFORM_NOT_FOUND");
  }
}
