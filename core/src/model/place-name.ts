import type { Conversation } from "../adapter/conversation.ts";
import type { Surface } from "./session.ts";

/** A chat that several people read, by its name; by its kind and id where it has none that is known. */
export function chatCalled(name: string | null | undefined, { platform, chatId }: ChatId): string {
  return name || `a channel on ${platform} (${chatId})`;
}

type ChatId = Pick<Conversation, "platform" | "chatId">;

/**
 * Names a place for people, to follow "goes on" or "was said": `in the terminal`, `on web, in a thread`, and with the
 * `name` of a place that several people share `in #general on pager`. The text is plain: people choose names.
 */
export function placeName(surface: Surface, conversation?: Conversation | null, name?: string | null): string {
  if (surface === "terminal") return "in the terminal";
  if (!conversation) return "at another place";
  const { platform, threadId, kind } = conversation;
  if (kind !== "dm" && name) return `in ${name} on ${platform}`;
  if (threadId) return `on ${platform}, in a thread`;
  return kind === "dm" ? `on ${platform}` : `on ${platform}, in a group`;
}
