import type { ChatKind, Conversation } from "@hermes/core";

export const PLATFORM = "signal";

const NUMBER = /^\+\d{5,15}$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const BASE64 = /^[\w+/-]+={0,2}$/;

/** Bytes of a group's id: those of today's groups, and of the ones before 2020. */
const GROUP_ID_SIZES = [32, 16];

/**
 * An id in the one way in which Hermes writes it: a number without spaces, a service id (UUID) in small letters, a
 * group's id in the standard alphabet of base64. The same group can be written in several ways, and is told by its bytes;
 * signal-cli-rest-api writes it in base64 once more, behind `group.`.
 */
export function canonicalId(written: string): string {
  const [, inner] = /^\s*group\.([\w+/-]+={0,2})\s*$/.exec(written) ?? [];
  const id = inner === undefined ? written : Buffer.from(inner, "base64").toString("latin1");

  const number = id.replaceAll(/[\s().-]/g, "");
  if (isNumber(number)) return number;
  const small = id.trim().toLowerCase();
  if (isUuid(small)) return small;
  const bytes = groupBytes(id.trim());
  return bytes === null ? id.trim() : bytes.toString("base64");
}

export function isNumber(id: string): boolean {
  return NUMBER.test(id);
}

/** Whether it is a service id, in small letters. */
export function isUuid(id: string): boolean {
  return UUID.test(id);
}

export function isGroupId(id: string): boolean {
  return !isNumber(id) && !isUuid(id) && groupBytes(id) !== null;
}

/** Whom a call of signal-cli is for. */
export type Recipient =
  | { readonly groupId: string }
  | { readonly recipient: readonly string[] }
  | { readonly noteToSelf: true };

/** A chat as a conversation. */
export function conversationIn(chatId: string, kind: ChatKind, account: string | undefined): Conversation {
  return { platform: PLATFORM, chatId, kind, ...(account === undefined ? {} : { account }) };
}

/** Signal knows a message by who wrote it and when, in milliseconds. */
export function messageIdOf(author: string, timestamp: number): string {
  return `${author}:${timestamp}`;
}

/** Whether it may be the id of a chat at all. */
export function isChatId(id: string): boolean {
  return isNumber(id) || isUuid(id) || isGroupId(id);
}

function groupBytes(id: string): Buffer | null {
  if (!BASE64.test(id)) return null;
  const bytes = Buffer.from(id, "base64");
  return GROUP_ID_SIZES.includes(bytes.length) ? bytes : null;
}
