import type { Conversation, Findings, HomeChannel } from "@hermes/core";

export const PLATFORM = "whatsapp";

/** Returns a chat as a conversation. WhatsApp has no threads. */
export function conversationIn(chatId: string, account: string | undefined): Conversation {
  return {
    platform: PLATFORM,
    chatId,
    kind: isGroupId(chatId) ? "group" : "dm",
    ...(account === undefined ? {} : { account }),
  };
}

/** Returns the link that opens the chat with a number ("Click to chat"); undefined for other chats. */
export function linkTo(chatId: string): string | undefined {
  return /^\d+$/.test(chatId) ? `https://wa.me/${chatId}` : undefined;
}

/**
 * Converts an id of a person or group to the one form that Hermes keeps:
 *
 * | who | as Hermes keeps it |
 * | --- | --- |
 * | a person by number | the digits of the number: `491701234567` |
 * | a person by the id that hides the number (linked devices) | `123456789012345@lid` |
 * | a person by the id that hides the number (Cloud API) | `DE.1502576394655843` |
 * | a group | `120363012345678901@g.us` |
 *
 * A number as people write it (`+49 170 1234567`) and as WhatsApp does (`491701234567:12@s.whatsapp.net`) become the
 * same. Otherwise numbers are compared as WhatsApp reports them, without rules about the digits that a country omits.
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

/** Whether an id is a number with its country code ("E.164": 15 digits at most). */
export function isPhoneNumber(id: string): boolean {
  return /^\d{7,15}$/.test(id);
}

/** Whether an id is a "business-scoped user ID": a country, a dot, and up to 128 letters and digits. */
export function isBusinessScopedId(id: string): boolean {
  return /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(id);
}

/** Returns an id for logs: enough of a person's to tell two apart, but not the number. */
export function masked(id: string): string {
  if (isGroupId(id)) return id;
  const [user = "", server] = id.split("@");
  const shown = user.length > 4 ? `…${user.slice(-3)}` : "…";
  return server === undefined ? shown : `${shown}@${server}`;
}

/** Reports a home channel that requires a thread for each handoff, since WhatsApp has none. */
export function noteThreads(found: Findings, { requireThread }: HomeChannel): void {
  if (!requireThread) return;
  const hint = "Leave `requireThread` out: the session then lands in the chat itself.";
  found.problem("WhatsApp has no threads, and the home channel requires one: no handoff can land.", hint);
}
