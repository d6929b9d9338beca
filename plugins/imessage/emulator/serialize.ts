import type { Attachment, Chat, Handle, Row } from "./rows.ts";

/** What of a message is told. */
export interface Told {
  /** As in webhooks: without the fields that fill an answer only. */
  readonly isForNotification?: boolean;
  readonly chats?: boolean;
  readonly participants?: boolean;
  readonly attachments?: boolean;
  readonly attributedBody?: boolean;
  readonly tempGuid?: string | undefined;
}

/** A message as the server tells of it ("MessageSerializer"), on macOS 13 or later. */
export function messageJson(row: Row, told: Told = {}): Record<string, unknown> {
  const { isForNotification = false, tempGuid } = told;
  const attachments = told.attachments === false ? [] : row.attachments.slice(0, row.linkedAttachments);
  return {
    originalROWID: row.rowId,
    ...(tempGuid === undefined ? {} : { tempGuid }),
    guid: row.guid,
    text: shownText(row),
    attributedBody: told.attributedBody === true ? attributedBody(row) : null,
    handle: row.handle && handleJson(row.handle, isForNotification),
    handleId: row.handle?.rowId ?? 0,
    otherHandle: row.otherHandle,
    attachments: attachments.map((one) => attachmentJson(one, isForNotification)),
    subject: row.subject,
    error: row.error,
    dateCreated: row.dateCreated,
    dateRead: row.dateRead,
    dateDelivered: row.dateDelivered,
    isDelivered: row.dateDelivered !== null,
    isFromMe: row.isFromMe,
    hasDdResults: false,
    isArchived: false,
    itemType: row.itemType,
    groupTitle: row.groupTitle,
    groupActionType: row.groupActionType,
    balloonBundleId: row.balloonBundleId,
    associatedMessageGuid: row.associatedMessageGuid,
    associatedMessageType: row.associatedMessageType,
    expressiveSendStyleId: row.expressiveSendStyleId,
    threadOriginatorGuid: row.threadOriginatorGuid,
    hasPayloadData: row.balloonBundleId !== null,
    ...(isForNotification ? {} : onlyInAnswers(row)),
    ...(told.chats === true ? { chats: [chatJson(row.chat, told)] } : {}),
    ...{ messageSummaryInfo: null, payloadData: null },
    ...{ dateEdited: row.dateEdited, dateRetracted: null, partCount: row.partCount },
  };
}

function onlyInAnswers({ threadOriginatorGuid, text, chat }: Row) {
  return {
    ...{ country: null, isDelayed: false, isAutoReply: false, isSystemMessage: false, isServiceMessage: false },
    ...{ isForward: false, isCorrupt: false, datePlayed: null, isSpam: false, isExpired: false },
    threadOriginatorPart: threadOriginatorGuid === null ? null : `0:0:${text?.length ?? 0}`,
    cacheRoomnames: chat.style === 43 ? chat.identifier : null,
    ...{ timeExpressiveSendStyleId: null, isAudioMessage: false, replyToGuid: null },
    ...{ shareStatus: 0, shareDirection: 0, wasDeliveredQuietly: false, didNotifyRecipient: false },
  };
}

export function chatJson(
  chat: Chat,
  { isForNotification = false, participants = false }: Told,
): Record<string, unknown> {
  return {
    ...{ originalROWID: chat.rowId, guid: chat.guid, style: chat.style, chatIdentifier: chat.identifier },
    ...{ isArchived: false, displayName: chat.displayName },
    ...(participants ? { participants: chat.participants.map((one) => handleJson(one, isForNotification)) } : {}),
    ...(isForNotification ? {} : { isFiltered: false, groupId: chat.identifier, properties: null }),
    ...(isForNotification ? {} : { lastAddressedHandle: null }),
  };
}

export function handleJson({ rowId, address, service }: Handle, isForNotification = false): Record<string, unknown> {
  const more = isForNotification ? {} : { country: "de", uncanonicalizedId: null };
  return { originalROWID: rowId, address, service, ...more };
}

export function attachmentJson({ rowId, guid, file, isOutgoing }: Attachment, isForNotification = false) {
  return {
    ...{ originalROWID: rowId, guid, uti: utiOf(file.mediaType), mimeType: file.mediaType, transferName: file.name },
    ...{ totalBytes: file.content.length },
    ...(isForNotification
      ? {}
      : {
          transferState: 5,
          isOutgoing,
          hideAttachment: false,
          isSticker: false,
          originalGuid: guid,
          hasLivePhoto: false,
        }),
    ...{ height: 0, width: 0, metadata: null },
  };
}

/** The text without the character that stands for an attachment, and without blanks around it ("sanitizeStr"). */
function shownText({ text }: Row): string | null {
  return text === null ? null : text.replaceAll("\ufffc", "").trim();
}

function attributedBody({ text, mentions }: Row) {
  if (text === null) return null;
  const part = { __kIMMessagePartAttributeName: 0 };
  const runs = [];
  let at = 0;
  for (const { range, address } of mentions) {
    if (range[0] > at) runs.push({ range: [at, range[0] - at], attributes: part });
    runs.push({ range, attributes: { ...part, __kIMMentionConfirmedMention: address } });
    at = range[0] + range[1];
  }
  if (at < text.length) runs.push({ range: [at, text.length - at], attributes: part });
  return [{ string: text, runs }];
}

function utiOf(mediaType: string): string {
  const known: Readonly<Record<string, string>> = {
    "image/png": "public.png",
    "image/jpeg": "public.jpeg",
    "image/heic": "public.heic",
    "application/pdf": "com.adobe.pdf",
    "text/plain": "public.plain-text",
    "audio/x-caf": "com.apple.coreaudio-format",
  };
  return known[mediaType] ?? "public.data";
}
