import type { Conversation } from "../adapter/conversation.ts";
import type { Surface } from "./session.ts";

/** Names a place for people, to follow "goes on" or "was said": `in the terminal`, `on web, in a thread`. */
export function placeName(surface: Surface, conversation?: Conversation | null): string {
  if (surface === "terminal") return "in the terminal";
  if (!conversation) return "at another place";
  const { platform, threadId, kind } = conversation;
  if (threadId) return `on ${platform}, in a thread`;
  return kind === "dm" ? `on ${platform}` : `on ${platform}, in a group`;
}
