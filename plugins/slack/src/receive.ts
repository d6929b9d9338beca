import { type AdapterContext, type CatchUp, type Clock, PlatformError } from "@hermes/core";
import type { App } from "@slack/bolt";
import type { SlackApi } from "./api.ts";
import { pressesIn } from "./choices.ts";
import type { SlackOptions } from "./config.ts";
import {
  type DecodeDeps,
  decodeCommand,
  decodeEvent,
  deletedIn,
  isOfWorkspace,
  isWritten,
  type SlackCommand,
  type SlackEventBody,
  type SlackMessageEvent,
} from "./inbound.ts";
import { placeOfMessage } from "./missed.ts";
import { placeOf } from "./source.ts";

interface ReceiveParts extends Pick<AdapterContext, "receive" | "choose" | "retracted"> {
  readonly api: SlackApi;
  readonly clock: Clock;
  readonly options: SlackOptions;
  readonly decoding: DecodeDeps;
  readonly catchUp: CatchUp;
}

/** Takes what Bolt hands on: messages, edits and deletions, slash commands, and presses of buttons. */
export function receiveEvents(app: App, parts: ReceiveParts): void {
  app.event("message", ({ event, body }) => takeEvent(event as SlackMessageEvent, body, parts));
  app.event("app_mention", ({ event, body }) => takeEvent(event as SlackMessageEvent, body, parts));
  app.command(/^\//, async ({ command, ack }) => {
    const reply = await takeSlashCommand(command as SlackCommand, parts);
    await ack(reply);
  });
  app.action({ type: "block_actions" }, async ({ body }) => {
    for (const press of await pressesIn(body, parts.decoding)) {
      const decode = () => parts.choose(press).then(() => null);
      await parts.catchUp.takeBeside({ place: press.conversation.chatId, id: press.messageId, decode });
    }
  });
}

async function takeEvent(
  event: SlackMessageEvent,
  body: SlackEventBody,
  { decoding, catchUp, retracted }: ReceiveParts,
): Promise<void> {
  const { channel, ts } = event;
  const { teamId } = decoding.self;
  // A socket brings the events of every workspace that the app is installed in.
  if (channel === undefined || ts === undefined || !isOfWorkspace(body, teamId)) return;
  const deleted = deletedIn(event);
  if (deleted?.ts !== undefined) {
    const { ts: messageId, thread_ts } = deleted;
    const decode = async () => {
      await retracted(placeOf({ channel, ts: messageId, thread_ts }, teamId).conversation, messageId);
      return null;
    };
    await catchUp.takeBeside({ place: placeOfMessage(channel, deleted), id: ts, decode });
    return;
  }
  const entry = {
    place: placeOfMessage(channel, event.message ?? event),
    id: ts,
    decode: () => decodeEvent(event, body, decoding),
  };
  await (isWritten(event) ? catchUp.take(entry) : catchUp.takeBeside(entry));
}

/** Slack waits three seconds for the acknowledgement; the look-up gets a part of them, in milliseconds. */
const LOOKED_UP_WITHIN_MS = 1_500;

/**
 * Takes a slash command. People can write one anywhere, also where the bot is not and could not answer: then whoever
 * the config knows is told so, by words that only they see. Resolves with those, or undefined.
 */
async function takeSlashCommand(
  command: SlackCommand,
  { api, clock, options, decoding, receive }: ReceiveParts,
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
