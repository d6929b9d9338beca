import type { Conversation, HomeChannel, PeopleAt, PlatformError } from "@hermes/core";
import type { SlackApi } from "./api.ts";
import { notFound, unreachableChannel } from "./errors.ts";
import type { Identity } from "./identity.ts";
import { conversationOf } from "./source.ts";

/**
 * Returns the home channel as a conversation. Checks that the bot can write there, and that the home's thread, if it
 * names one, exists. Throws a PlatformError with every likely cause.
 */
export async function homeConversation(api: SlackApi, self: Identity, home: HomeChannel): Promise<Conversation> {
  const { chatId, threadId } = home;
  if (/^[UW]/.test(chatId)) throw isPerson(chatId);
  const { channel } = await api.call("conversations.info", { channel: chatId }, { waits: true });
  const { is_archived: isArchived, is_im: isIm, is_mpim: isMpim, is_member: isMember } = Object(channel);
  if (isArchived) throw unreachableChannel("is_archived", chatId);
  if (!isIm && !isMpim && isMember === false) throw unreachableChannel("not_in_channel", chatId);
  if (threadId !== undefined) {
    await api.call("conversations.replies", { channel: chatId, ts: threadId, limit: 1 }, { waits: true });
  }
  return conversationOf(chatId, self.teamId, threadId);
}

/** Asks Slack for the other person of a direct message. */
export async function peopleAt(api: SlackApi, { chatId, kind }: Conversation): Promise<PeopleAt> {
  if (kind !== "dm") return { ids: [], isFixed: false };
  const { channel } = await api.call("conversations.info", { channel: chatId }, { waits: true });
  const { user, is_im: isIm } = Object(channel);
  return { ids: isIm === true && typeof user === "string" ? [user] : [], isFixed: true };
}

/** The PLATFORM_NOT_FOUND for a home channel that names a person. */
export function isPerson(id: string): PlatformError {
  return notFound(
    `${id} is a person and not a channel`,
    "Name the direct message (D…): write `!whoami` there, or `!sethome` to make it the home channel.",
  );
}
