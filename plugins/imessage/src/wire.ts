import { z } from "@hermes/core";

const text = z.string().nullish().catch(null);
const time = z.number().nullish().catch(null);

/** A list that may be missing. */
function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
}

const handle = z.object({ address: z.string(), service: text });

const chat = z.object({
  guid: z.string(),
  style: z.number().nullish(),
  chatIdentifier: text,
  displayName: text,
  participants: listOf(handle),
});

const attachment = z.object({
  guid: z.string(),
  mimeType: text,
  transferName: text,
  totalBytes: time,
  hideAttachment: z.boolean().nullish().catch(null),
});

const body = z.object({
  string: z.string(),
  runs: z
    .array(z.object({ range: z.tuple([z.number(), z.number()]), attributes: z.record(z.string(), z.unknown()) }))
    .catch([]),
});

/**
 * A message as the server tells of it ("MessageSerializer"), as far as Hermes reads it. What lies beside the words is left
 * out where some version writes it in another way; where they belong, and whose they are, must be sure.
 */
const row = z.object({
  guid: z.string(),
  text,
  handle: handle.nullish(),
  attachments: listOf(attachment).catch([]),
  attributedBody: z.array(body).nullish().catch(null),
  error: z
    .number()
    .nullish()
    .transform((code) => code ?? 0),
  dateCreated: z.number(),
  dateEdited: time,
  dateDelivered: time,
  isFromMe: z.boolean(),
  itemType: z.number().nullish(),
  /** `like` … `-question`, `sticker`, or the number of another one; null for what is no tapback. */
  associatedMessageType: z.union([z.string(), z.number()]).nullish(),
  associatedMessageGuid: text,
  threadOriginatorGuid: text,
  balloonBundleId: text,
  /** 0 when everything of it was taken back. */
  partCount: z.number().nullish().catch(null),
  chats: listOf(chat),
});

const contact = z.object({
  displayName: text,
  phoneNumbers: z.array(z.object({ address: z.string() })).catch([]),
  emails: z.array(z.object({ address: z.string() })).catch([]),
});

export type WireRow = z.output<typeof row>;
export type WireChat = z.output<typeof chat>;
export type WireAttachment = z.output<typeof attachment>;

/** "GET server/info". */
export const serverInfo = z.object({
  server_version: text,
  os_version: text,
  private_api: z.boolean().nullish(),
  helper_connected: z.boolean().nullish(),
  detected_icloud: text,
  detected_imessage: text,
});

export type ServerInfo = z.output<typeof serverInfo>;

export const rowAnswer = row;
export const chatAnswer = chat;
/** Of a message that was sent no more is asked for: one that is not understood would be sent again. */
export const sentAnswer = row.pick({ guid: true, error: true, dateCreated: true, dateDelivered: true });
export type SentRow = z.output<typeof sentAnswer>;
export const contactsAnswer = z.array(contact);
export const webhooksAnswer = z.array(z.object({ id: z.number(), url: z.string() }));

/** What an event says of the message that it is about, in a webhook or at the socket. */
const told = row.pick({ guid: true, dateEdited: true, partCount: true, attachments: true }).extend({
  ...{ dateCreated: time, dateDelivered: time },
  error: row.shape.error.catch(0),
});

export type ToldRow = z.output<typeof told>;

/** The message of an event; null for an event that has none. */
export function toldIn(data: unknown): ToldRow | null {
  return told.safeParse(data).data ?? null;
}
