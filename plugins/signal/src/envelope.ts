import { z } from "@hermes/core";

const textStyle = z.object({ style: z.string(), start: z.number(), length: z.number() });
const mention = z.object({
  name: z.string().nullish(),
  number: z.string().nullish(),
  uuid: z.string().nullish(),
  start: z.number(),
  length: z.number(),
});
const attachment = z.object({
  contentType: z.string().nullish(),
  filename: z.string().nullish(),
  id: z.string().nullish(),
  size: z.number().nullish(),
});

const quote = z.object({
  id: z.number().nullish().catch(null),
  authorNumber: z.string().nullish(),
  authorUuid: z.string().nullish(),
  text: z.string().nullish().catch(null),
  textStyles: z.array(textStyle).nullish().catch(null),
});
const values = z
  .array(z.object({ value: z.string().nullish() }))
  .nullish()
  .catch(null);
const contactName = z.object({
  given: z.string().nullish(),
  family: z.string().nullish(),
  nickname: z.string().nullish(),
});
const contact = z.object({ name: contactName.nullish().catch(null), phone: values, email: values });

/**
 * What signal-cli makes of a message ("JsonDataMessage"), as far as Hermes reads it. What lies beside the words is left
 * out where some version writes it in another way: the words are not to be lost with it. Where they belong must be sure.
 */
const dataMessage = z.object({
  timestamp: z.number(),
  message: z.string().nullish(),
  groupInfo: z.object({ groupId: z.string(), groupName: z.string().nullish().catch(null) }).nullish(),
  quote: quote.nullish().catch(null),
  mentions: z.array(mention).nullish().catch(null),
  textStyles: z.array(textStyle).nullish().catch(null),
  attachments: z.array(attachment).nullish().catch(null),
  contacts: z.array(contact).nullish().catch(null),
  sticker: z.unknown().optional(),
  payment: z.unknown().optional(),
  storyContext: z.unknown().optional(),
  pollCreate: z
    .object({ question: z.string().nullish(), options: z.array(z.string()).nullish().catch(null) })
    .nullish()
    .catch(null),
  remoteDelete: z.object({ timestamp: z.number() }).nullish().catch(null),
});

const editMessage = z.object({ targetSentTimestamp: z.number(), dataMessage });

/** "JsonSyncDataMessage": what the same account wrote on another of its devices. An edit brings no message of its own. */
const sentMessage = dataMessage.partial({ timestamp: true }).extend({
  destinationNumber: z.string().nullish(),
  destinationUuid: z.string().nullish(),
  editMessage: editMessage.nullish(),
});

/** "JsonMessageEnvelope". The number is null where the person hides it. */
const envelope = z.object({
  sourceNumber: z.string().nullish(),
  sourceUuid: z.string().nullish(),
  sourceName: z.string().nullish().catch(null),
  timestamp: z.number(),
  dataMessage: dataMessage.nullish(),
  editMessage: editMessage.nullish(),
  syncMessage: z.object({ sentMessage: sentMessage.nullish() }).nullish(),
});

const receivedEvent = z.object({
  envelope,
  account: z.string().nullish(),
  /** Something that signal-cli could not decrypt, or does not trust. */
  exception: z.object({ message: z.string().nullish(), type: z.string().nullish() }).nullish(),
});

export type ReceivedEvent = z.output<typeof receivedEvent>;
export type Envelope = z.output<typeof envelope>;
export type DataMessage = z.output<typeof dataMessage>;
export type WireMention = z.output<typeof mention>;
export type WireTextStyle = z.output<typeof textStyle>;
export type WireAttachment = z.output<typeof attachment>;

/** Reads an event's data; null when it is none that signal-cli sends. */
export function readEvent(data: string): ReceivedEvent | null {
  try {
    return receivedEvent.parse(JSON.parse(data));
  } catch {
    return null;
  }
}

/** Names the chat that a message is in, so that those of one chat can be kept in order. */
export function chatIn({ envelope: { dataMessage, editMessage, syncMessage, ...source } }: ReceivedEvent): string {
  const sent = syncMessage?.sentMessage;
  const data = dataMessage ?? editMessage?.dataMessage ?? sent?.editMessage?.dataMessage ?? sent;
  return data?.groupInfo?.groupId ?? source.sourceUuid ?? source.sourceNumber ?? "";
}

/** Whether somebody wrote something, rather than typed, read or called. */
export function holdsMessage({ envelope: { dataMessage, editMessage, syncMessage } }: ReceivedEvent): boolean {
  return dataMessage != null || editMessage != null || syncMessage?.sentMessage != null;
}
