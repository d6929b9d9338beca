import { type Conversation, type InboundMessage, type KnownPerson, type Sender, senderOf } from "@hermes/core";
import { normalizeMessageContent, proto, type WAMessage } from "@whiskeysockets/baileys";
import { quotesOf, withCommand } from "../inbound.ts";
import { toMarkdown } from "../markup.ts";
import type { People } from "../people.ts";
import { conversationIn, isGroupId, toId } from "../source.ts";
import { attachmentsOf, type DownloadOf } from "./attachments.ts";
import { audienceOf, hasFiles, textOf } from "./content.ts";
import { itemsOf, referenceOf, unreadableIn } from "./references.ts";

export interface DecodeContext {
  readonly account: string | undefined;
  /** The account's own ids: its number, and the one that hides it. */
  readonly own: readonly string[];
  readonly people: People;
  readonly downloadOf: DownloadOf;
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
  const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;
  if (content.protocolMessage) return type === MESSAGE_EDIT || type === REVOKE;
  const isSaid = textOf(content) !== "" || hasFiles(content) || itemsOf(content).length > 0;
  return isSaid || unreadableIn(content) !== undefined;
}

/** A message that somebody deleted for everybody. */
interface Retraction {
  readonly at: Conversation;
  readonly messageId: string;
  readonly by: Sender;
}

/**
 * What a message takes back; null for all others. Whoever wrote it says so, encrypted: whether an administrator of the
 * group may delete another's, nobody has checked.
 */
export async function retractionIn(wire: WAMessage, context: DecodeContext): Promise<Retraction | null> {
  const { type, key } = normalizeMessageContent(wire.message)?.protocolMessage ?? {};
  if (type !== proto.Message.ProtocolMessage.Type.REVOKE || !key?.id) return null;
  const { sender, chatId } = await placeOf(wire, context);
  return { at: conversationIn(chatId, context.account), messageId: key.id, by: senderOf(sender) };
}

/** Who wrote a message, and in which chat. */
async function placeOf(
  { key }: WAMessage,
  context: DecodeContext,
): Promise<{ readonly sender: KnownPerson; readonly chatId: string; readonly isGroup: boolean }> {
  const remote = toId(key.remoteJid ?? "");
  const isGroup = isGroupId(remote);
  const ids = isGroup ? [key.participant, key.participantAlt] : [key.remoteJid, key.remoteJidAlt];
  const sender = await personOf(ids, context);
  return { sender, chatId: isGroup ? remote : sender.key, isGroup };
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
  const { sender, chatId, isGroup } = await placeOf(wire, context);
  const attachments = changed ? [] : attachmentsOf(said, context.downloadOf);
  const { mentioned, repliesTo, isForward } = audienceOf(said);
  const words = toMarkdown(withoutMention(textOf(said), mentioned, own));
  const text = isForward ? "" : withCommand(words);
  const items = itemsOf(said);
  const quotes = isForward ? quotesOf(words, attachments, items) : [];
  const isEmpty = text.trim() === "" && [quotes, attachments, items].every((some) => some.length === 0);
  const unreadable = isEmpty ? unreadableIn(said) : undefined;
  // An edit changes words alone: what else the message has stays.
  const isEdit = changed?.editedMessage != null;
  if (!messageId || (isEmpty && unreadable === undefined && !isEdit)) return null;
  const refersTo = await referenceOf(said, context);
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
    ...(refersTo === null ? {} : { refersTo }),
    ...(items.length > 0 && !isForward ? { items } : {}),
    ...(unreadable === undefined ? {} : { unreadable }),
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
