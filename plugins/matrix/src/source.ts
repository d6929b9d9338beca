import type { ChatKind, Conversation } from "@hermes/core";

export const PLATFORM = "matrix";

/** A room, or a thread in it, as a conversation. */
export function conversationIn(
  room: { readonly id: string; readonly kind: ChatKind },
  threadId: string | undefined,
  account: string | undefined,
): Conversation {
  return {
    platform: PLATFORM,
    chatId: room.id,
    kind: room.kind,
    ...(account === undefined ? {} : { account }),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

/**
 * The link that opens an event ("matrix.to navigation"). Ids are opaque, so the server through which a room can be
 * reached is named beside them.
 */
export function linkTo(roomId: string, eventId: string, userId: string): string {
  const server = userId.slice(userId.indexOf(":") + 1);
  return `https://matrix.to/#/${encodeURIComponent(roomId)}/${encodeURIComponent(eventId)}?via=${encodeURIComponent(server)}`;
}

/** The user that a link leads to; null for other links. */
export function userInLink(url: string): string | null {
  const [, id] = /^https:\/\/matrix\.to\/#\/([^/?]+)/.exec(url) ?? [];
  const target = id === undefined ? "" : decoded(id);
  return target.startsWith("@") ? target : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
