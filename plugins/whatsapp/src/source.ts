import type { Conversation } from "@hermes/core";

export const PLATFORM = "whatsapp";

/** A chat as a conversation. WhatsApp has no threads. */
export function conversationIn(chatId: string, account: string | undefined): Conversation {
  return {
    platform: PLATFORM,
    chatId,
    kind: isGroupId(chatId) ? "group" : "dm",
    ...(account === undefined ? {} : { account }),
  };
}

/** The link that opens the chat with a number ("Click to chat"); there is none for other chats. */
export function linkTo(chatId: string): string | undefined {
  return /^\d+$/.test(chatId) ? `https://wa.me/${chatId}` : undefined;
}

/**
 * The ids by which WhatsApp knows people and groups, in the one form that Hermes keeps:
 *
 * | who | as Hermes has it |
 * | --- | --- |
 * | a person by number | the digits of the number: `491701234567` |
 * | a person by the id that hides the number (linked devices) | `123456789012345@lid` |
 * | a person by the id that hides the number (Cloud API) | `DE.1502576394655843` |
 * | a group | `120363012345678901@g.us` |
 *
 * What people write (`+49 170 1234567`) and what WhatsApp writes (`491701234567:12@s.whatsapp.net`) is the same person.
 * Numbers are otherwise compared as WhatsApp reports them: which digits a country leaves out is nothing to guess.
 */
export function toId(written: string): string {
  const text = written.trim();
  const [, user = "", server = ""] = /^([^@:]+)(?::\d+)?@([\w.]+)$/.exec(text) ?? [];
  if (server === "s.whatsapp.net" || server === "c.us") return user;
  if (server === "lid") return `${user}@lid`;
  return /^\+?\d[\d\s().-]{3,}$/.test(text) ? text.replaceAll(/\D/g, "") : text;
}

/** Whether a chat is a group rather than a person. */
export function isGroupId(id: string): boolean {
  return id.endsWith("@g.us");
}

/** A number with its country code ("E.164": 15 digits at most). */
export function isPhoneNumber(id: string): boolean {
  return /^\d{7,15}$/.test(id);
}

/** "Business-scoped user IDs": a country, a dot, and up to 128 letters and digits. */
export function isBusinessScopedId(id: string): boolean {
  return /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(id);
}

/** An id for a log: of a person enough to tell two apart, and nobody's number. */
export function masked(id: string): string {
  if (isGroupId(id)) return id;
  const [user = "", server] = id.split("@");
  const shown = user.length > 4 ? `…${user.slice(-3)}` : "…";
  return server === undefined ? shown : `${shown}@${server}`;
}
