import {
  type Attachment,
  type Conversation,
  type InboundMessage,
  type Press,
  type Reference,
  reasonOf,
  type Sender,
} from "@hermes/core";
import { chosenBy } from "./choices.ts";
import type { ConnectionParts } from "./connection.ts";
import { identifierOf } from "./directory.ts";
import { isSent } from "./sent.ts";
import { canonicalId, conversationIn, isApples, isGroup, isTextService } from "./source.ts";
import type { WireAttachment, WireChat, WireRow } from "./wire.ts";

/** What a row of Messages means to Hermes. */
export type Decoded =
  | { readonly kind: "message"; readonly message: InboundMessage }
  | { readonly kind: "press"; readonly press: Press }
  | { readonly kind: "retraction"; readonly at: Conversation; readonly messageId: string }
  | null;

interface Placed {
  readonly conversation: Conversation;
  readonly sender: Sender;
  readonly chat: WireChat;
}

/**
 * What somebody wrote, chose by a tapback or took back; null for all else: changes of a group, messages of the account's
 * owner to other people, Hermes' own.
 */
export async function decode(row: WireRow, parts: ConnectionParts): Promise<Decoded> {
  // A row with an error that somebody else seems to have written is a message of the account that could not be sent.
  if ((row.itemType ?? 0) !== 0 || row.error !== 0) return null;
  const placed = await placeOf(row, parts);
  if (placed === null) return null;
  if (row.associatedMessageType != null) return pressIn(row, placed, parts);
  const { conversation, sender, chat } = placed;
  const { guid: messageId, partCount, dateCreated: sentAt } = row;
  if (partCount === 0) return { kind: "retraction", at: conversation, messageId };
  const written = (row.text ?? "").replaceAll("\ufffc", "").trim();
  const mentions = ownMentions(row, parts);
  // At its beginning the account's name is a mention and no word of the message.
  const [mention = ""] = mentions.filter((name) => name !== "" && written.startsWith(name));
  const text = mention === "" ? written : written.slice(mention.length).replace(/^[\s,:]+/, "");
  const attachments = row.attachments.filter((file) => !file.hideAttachment).map((file) => toAttachment(file, parts));
  const unreadable = text === "" && attachments.length === 0 && row.balloonBundleId ? ("other" as const) : undefined;
  const isEdit = row.dateEdited != null;
  if (text === "" && attachments.length === 0 && unreadable === undefined && !isEdit) return null;
  const refersTo = await referenceOf(row, parts);
  const isAddressed = mentions.length > 0 || refersTo?.isOwn === true || /^\/[a-z]/i.test(text);
  const chatName = conversation.kind === "group" ? chat.displayName : sender.name;
  return {
    kind: "message",
    message: {
      conversation,
      messageId,
      sender,
      text,
      sentAt,
      ...(isEdit ? { isEdit } : {}),
      ...(isEdit || attachments.length > 0 ? { attachments } : {}),
      ...(refersTo === null ? {} : { refersTo }),
      ...(unreadable === undefined ? {} : { unreadable }),
      ...(isAddressed ? { isAddressed: true } : {}),
      ...(chatName ? { chatName } : {}),
    },
  };
}

/**
 * Where a row belongs and who wrote it; null where it is not for Hermes.
 *
 * A row that is marked as from the account may be Hermes' own, or its owner's from another device. In the chat with
 * oneself it is the owner's unless Hermes sent it, and the second row, which says that it came, is passed over; in all
 * other chats it is for other people.
 */
async function placeOf(row: WireRow, parts: ConnectionParts): Promise<Placed | null> {
  const { api, directory, sent, deps } = parts;
  const [chat] = row.chats;
  if (chat === undefined) return null;
  directory.note(chat);
  const isText = isBySms(row, chat);
  if (isText && !deps.options.sms) {
    deps.logger.debug({ message: row.guid }, "an SMS was passed over, as the config does not take any");
    return null;
  }
  const identifier = identifierOf(chat);
  const isInGroup = isGroup(chat);
  const isNote = !isInGroup && directory.isSelf(identifier);
  if (row.isFromMe !== isNote) return null;
  const address = isInGroup ? row.handle?.address : identifier;
  if (address === undefined) {
    deps.logger.warn({ message: row.guid }, "a message was passed over: Messages does not say who wrote it");
    return null;
  }
  const sender = await directory.sender(address, isText);
  const key = sender.person?.key ?? sender.id;
  const chatId = isInGroup ? canonicalId(identifier) : key;
  // Of what was sent before the log of it begins nobody can tell whose it was.
  if (isNote && row.dateCreated - api.aheadMs < sent.since) return null;
  // What Hermes sent is never heard: with an address of its own that it does not know, it would answer itself for ever.
  if (!isInGroup && (await isSent(parts, row, chatId))) return null;
  return { conversation: conversationIn(chatId, isInGroup ? "group" : "dm", deps.options.account), sender, chat };
}

/** Whether it came as SMS, or may have: since macOS 26 only its writer's service tells, which can be missing. */
function isBySms({ handle, isFromMe }: WireRow, { guid }: WireChat): boolean {
  const service = /^[^;]*/.exec(guid)?.[0];
  if (isTextService(service) || isTextService(handle?.service)) return true;
  return service === "any" && !isFromMe && !isApples(handle?.service);
}

function pressIn(row: WireRow, { conversation, sender }: Placed, { sent }: ConnectionParts): Decoded {
  const messageId = targetOf(row);
  const { tapbacks, pressed } = sent.byId(messageId)?.note ?? {};
  const choiceId = chosenBy(row.associatedMessageType ?? "", tapbacks);
  if (choiceId === undefined || pressed?.includes(row.guid)) return null;
  return { kind: "press", press: { conversation, messageId, choiceId, sender } };
}

/** The message that a tapback is on: its guid has the part before it, as in `p:0/…`. */
export function targetOf({ associatedMessageGuid }: WireRow): string {
  return (associatedMessageGuid ?? "").replace(/^(?:p:\d+\/|bp:)/, "");
}

/** The first message of the thread that a reply is in: Messages does not say which of it is meant. */
async function referenceOf(row: WireRow, parts: ConnectionParts): Promise<Reference | null> {
  const { api, directory, sent, deps } = parts;
  const { threadOriginatorGuid: messageId } = row;
  if (!messageId) return null;
  const isOwn = sent.byId(messageId) !== null;
  try {
    const { text, handle, isFromMe } = await api.message(messageId);
    const said = { messageId, ...(text ? { text } : {}) };
    if (isOwn) return { ...said, isOwn };
    const address = isFromMe ? directory.self : handle?.address;
    if (address === undefined) return said;
    return { ...said, writer: await directory.sender(address, isTextService(handle?.service)) };
  } catch (error) {
    deps.logger.debug({ reason: reasonOf(error) }, "what a message replies to could not be read");
    return isOwn ? { messageId, isOwn } : { messageId };
  }
}

/** The names under which a message mentions the account. */
function ownMentions({ attributedBody }: WireRow, { directory }: ConnectionParts): readonly string[] {
  return (attributedBody ?? []).flatMap(({ string, runs }) => {
    const mentions = runs.filter(({ attributes: { __kIMMentionConfirmedMention: address } }) => {
      return typeof address === "string" && directory.isSelf(address);
    });
    return mentions.map(({ range: [from, length] }) => string.slice(from, from + length));
  });
}

/** What the server converts when it is downloaded ("convertImage"). */
const CONVERTED = /^image\/(?:hei[cf]|tiff)$/i;

function toAttachment(
  { guid, mimeType, transferName, totalBytes }: WireAttachment,
  { api }: ConnectionParts,
): Attachment {
  const isConverted = CONVERTED.test(mimeType ?? "");
  const mediaType = isConverted ? "image/jpeg" : mimeType || "application/octet-stream";
  const name = transferName || "a file";
  return {
    name: isConverted ? `${name}.jpeg` : name,
    mediaType,
    size: totalBytes ?? 0,
    download: ({ signal }) => api.download(guid, signal),
  };
}
