import { type InboundMessage, type KnownPerson, senderOf } from "@hermes/core";
import { normalizeMessageContent, proto, type WAMessage } from "@whiskeysockets/baileys";
import { quotesOf, withCommand } from "../inbound.ts";
import { toMarkdown } from "../markup.ts";
import type { People } from "../people.ts";
import { conversationIn, isGroupId, toId } from "../source.ts";
import { attachmentsOf, type ReadFile } from "./attachments.ts";
import { audienceOf, hasFiles, textOf } from "./content.ts";

export interface DecodeContext {
  readonly account: string | undefined;
  /** The account's own ids: its number, and the one that hides it. */
  readonly own: readonly string[];
  readonly people: People;
  readonly readFile: ReadFile;
  /** The number of a person whose id hides it, where WhatsApp has told it before. */
  readonly numberOf: (id: string) => Promise<string | null>;
  /** A group's name, where it is known. */
  readonly nameOf: (groupId: string) => string | undefined;
}

export interface KeepContext {
  readonly own: readonly string[];
  /** What is older is answered no more: milliseconds since 1970. */
  readonly notBefore: number;
}

/** Whether a message is one that a person wrote to the account: only such are kept. */
export function isForHermes({ key, message, messageTimestamp }: WAMessage, context: KeepContext): boolean {
  const content = normalizeMessageContent(message);
  if (!content || !key.id || !key.remoteJid || !isChat(key.remoteJid)) return false;
  // What the account wrote is for others, unless it wrote to itself.
  if (key.fromMe && !context.own.includes(toId(key.remoteJid))) return false;
  if (Number(messageTimestamp) * 1_000 < context.notBefore) return false;
  const { type } = content.protocolMessage ?? {};
  if (content.protocolMessage) return type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT;
  return textOf(content) !== "" || hasFiles(content);
}

/** A chat with a person, or a group; not a status, a channel, a broadcast. */
function isChat(jid: string): boolean {
  return /@(?:s\.whatsapp\.net|lid|g\.us)$/.test(jid);
}

/** What a person wrote; null for what says nothing. */
export async function decode(wire: WAMessage, context: DecodeContext): Promise<InboundMessage | null> {
  const { own } = context;
  const { key, pushName, messageTimestamp } = wire;
  const content = normalizeMessageContent(wire.message) ?? {};
  const changed = content.protocolMessage;
  const said = changed ? (normalizeMessageContent(changed.editedMessage) ?? {}) : content;
  const messageId = changed ? changed.key?.id : key.id;
  const remote = toId(key.remoteJid ?? "");
  const isGroup = isGroupId(remote);

  const sender = await personOf(
    isGroup ? [key.participant, key.participantAlt] : [key.remoteJid, key.remoteJidAlt],
    context,
  );
  const chatId = isGroup ? remote : sender.key;
  const attachments = changed ? [] : await attachmentsOf(said, context.readFile);
  const { mentioned, repliesTo, isForward } = audienceOf(said);
  const words = toMarkdown(withoutMention(textOf(said), mentioned, own));
  const text = isForward ? "" : withCommand(words);
  const quotes = isForward ? quotesOf(words, attachments) : [];
  if (!messageId || (text.trim() === "" && quotes.length === 0 && attachments.length === 0)) return null;
  const isForOwn = !isForward && [...mentioned, repliesTo].some((id) => id !== null && own.includes(id));
  const isAddressed = isGroup && (isForOwn || text.startsWith("/"));
  const chatName = isGroup ? context.nameOf(chatId) : (pushName ?? undefined);
  return {
    conversation: conversationIn(chatId, context.account),
    messageId,
    sender: { ...senderOf(sender), ...(pushName ? { name: pushName } : {}) },
    text,
    sentAt: Number(messageTimestamp) * 1_000,
    ...(changed ? { isEdit: true } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(isAddressed ? { isAddressed: true } : {}),
    ...(chatName === undefined ? {} : { chatName }),
  };
}

/** Who that is, by the ids in the message. Of somebody new WhatsApp may have told the number before. */
async function personOf(
  jids: readonly (string | null | undefined)[],
  { people, numberOf }: DecodeContext,
): Promise<KnownPerson> {
  const ids = [...new Set(jids.filter((jid) => typeof jid === "string" && jid !== "").map((jid) => toId(jid ?? "")))];
  const [id] = ids;
  if (id !== undefined && ids.length === 1 && (await people.holder(id)) === null) {
    const number = await numberOf(id);
    const holder = number === null ? null : await people.holder(number);
    // What it told before says nothing about a number that somebody else was heard from since.
    if (number !== null && !holder?.ids.some(({ strength }) => strength === "strong")) ids.push(number);
  }
  return people.note(ids);
}

/** A mention of the account at the beginning (`@<its id> …`) only says whom the message is for. */
function withoutMention(text: string, mentioned: readonly string[], own: readonly string[]): string {
  const sign = own.filter((id) => mentioned.includes(id)).map((id) => `@${id.split("@")[0]}`);
  const first = sign.find((one) => text.startsWith(one));
  return first === undefined ? text : text.slice(first.length).trimStart();
}
