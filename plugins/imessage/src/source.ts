import type { ChatKind, Conversation } from "@hermes/core";
import type { WireChat } from "./wire.ts";

export const PLATFORM = "imessage";

/** What stands before the address of somebody who writes by SMS, whose sender nobody vouches for. */
const SMS = "sms:";

const NUMBER = /^\+\d{5,15}$/;
const MAIL = /^[^\s@;]+@[^\s@;]+$/;
const GROUP = /^chat\w+$/i;

/** A chat's guid: `iMessage;-;+49…`, `SMS;-;+49…`, `iMessage;+;chat…`; since macOS 26 `any;-;…`. */
const GUID = /^([^;]+);([+-]);(.+)$/;

/**
 * An id in the one way in which Hermes writes it: a number without spaces, a mail address in small letters, the
 * identifier of a group, each without the service, which changes. What comes by SMS has `sms:` before it.
 */
export function canonicalId(written: string): string {
  const text = written.trim();
  const [, service, style, identifier] = GUID.exec(text) ?? [];
  if (identifier !== undefined) {
    if (style === "+") return identifier;
    return canonicalId(isTextService(service) ? `${SMS}${identifier}` : identifier);
  }
  if (isSmsId(text)) return `${SMS}${canonicalId(addressOf(text))}`;
  const number = text.replaceAll(/[\s().-]/g, "");
  if (NUMBER.test(number)) return number;
  return MAIL.test(text) ? text.toLowerCase() : text;
}

export function isSmsId(id: string): boolean {
  return id.toLowerCase().startsWith(SMS);
}

/** The number or mail address of an id. */
export function addressOf(id: string): string {
  return isSmsId(id) ? id.slice(SMS.length) : id;
}

export function smsId(address: string): string {
  return canonicalId(`${SMS}${address}`);
}

export function isMail(id: string): boolean {
  return MAIL.test(id);
}

/** Whether it may be the id of a person. */
export function isPersonId(id: string): boolean {
  const address = addressOf(id);
  return NUMBER.test(address) || MAIL.test(address);
}

/** What kind of chat an id names; null for none. */
export function kindOf(id: string): "group" | "dm" | null {
  if (GROUP.test(id)) return "group";
  return isPersonId(id) ? "dm" : null;
}

/** Whether a service is none of Apple's own, such as SMS, RCS and SatelliteSMS, where anybody may forge a number. */
export function isTextService(service: string | null | undefined): boolean {
  return !isApples(service) && !/^(?:any|)$/i.test(service ?? "");
}

/** Whether it is iMessage, by satellite too. */
export function isApples(service: string | null | undefined): boolean {
  return /^iMessage(?:Lite)?$/i.test(service ?? "");
}

/** Whether what is sent to a chat goes out as SMS. Since macOS 26 only its people tell the service. */
export function isTextChat({ guid, participants }: Pick<WireChat, "guid" | "participants">): boolean {
  const [, service] = GUID.exec(guid) ?? [];
  if (service !== "any") return isTextService(service);
  return participants.length > 0 && participants.every((person) => isTextService(person.service));
}

/** 43 is a group, 45 a private chat ("chats[].style"). */
export function isGroup({ guid, style }: Pick<WireChat, "guid" | "style">): boolean {
  return style === 43 || GUID.exec(guid)?.[2] === "+";
}

/** A chat as a conversation. */
export function conversationIn(chatId: string, kind: ChatKind, account: string | undefined): Conversation {
  return { platform: PLATFORM, chatId, kind, ...(account === undefined ? {} : { account }) };
}
