import { type Conversation, chatOf } from "./conversation.ts";
import { buildSessionKey } from "./session-key.ts";

/**
 * Whether others read a place after it was moved: a private chat that became a shared one, or the other way round, a
 * private thread that is open to its chat now, and a thread that left a private chat or came into another one.
 */
export function isReadByOthers(from: Conversation, to: Conversation): boolean {
  if (from.kind !== "dm" && to.kind !== "dm") return from.isPrivate === true && to.isPrivate !== true;
  if (from.kind !== to.kind) return true;
  return from.threadId !== undefined && buildSessionKey(chatOf(from)) !== buildSessionKey(chatOf(to));
}
