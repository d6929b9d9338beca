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

export const chatAnswer = z.object({
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
export const rowAnswer = z.object({
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
  chats: listOf(chatAnswer),
});

const addresses = z.array(z.object({ address: z.string() })).catch([]);

export type WireRow = z.output<typeof rowAnswer>;
export type WireChat = z.output<typeof chatAnswer>;
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

/**
 * The account's addresses. Messages puts its kind before each, and sometimes that alone: `E:ada@example.org`, `P:+49…`,
 * `E:`.
 */
export function loginsOf({ detected_imessage: login, detected_icloud: cloud }: ServerInfo): readonly string[] {
  return [login, cloud].map((one) => one?.replace(/^[ep]:/i, "") ?? "").filter((address) => address !== "");
}

/** Of a message that was sent no more is asked for: one that is not understood would be sent again. */
export const sentAnswer = rowAnswer.pick({ guid: true, error: true, dateCreated: true, dateDelivered: true });
export type SentRow = z.output<typeof sentAnswer>;
export const contactsAnswer = z.array(z.object({ displayName: text, phoneNumbers: addresses, emails: addresses }));
export const webhooksAnswer = z.array(z.object({ id: z.number(), url: z.string() }));

/** What an event says of the message that it is about, in a webhook or at the socket. */
const told = rowAnswer.pick({ guid: true, dateEdited: true, partCount: true, attachments: true }).extend({
  dateCreated: time,
  dateDelivered: time,
  error: rowAnswer.shape.error.catch(0),
});

export type ToldRow = z.output<typeof told>;

/** The message of an event; null for an event that has none. */
export function toldIn(data: unknown): ToldRow | null {
  return told.safeParse(data).data ?? null;
}
