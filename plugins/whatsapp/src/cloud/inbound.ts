import { createHash } from "node:crypto";
import {
  type AdapterContext,
  type Attachment,
  type Download,
  type InboundMessage,
  type KnownPerson,
  type Logger,
  type Press,
  type Reference,
  readResponseBody,
  type SharedItem,
  senderOf,
  type UnreadableKind,
} from "@hermes/core";
import { rejected, unavailable } from "../errors.ts";
import { quotesOf, withCommand } from "../inbound.ts";
import { toMarkdown } from "../markup.ts";
import type { People } from "../people.ts";
import { conversationIn, toId } from "../source.ts";
import type { DeliveryReports } from "./delivery-reports.ts";
import type { GraphClient } from "./graph-client.ts";
import { listIn, valuesFor, type WebhookPayload, type WebhookValue, type WireMedia, type WireMessage } from "./wire.ts";

export interface DecodeContext {
  readonly account: string | undefined;
  /** The business number itself, as people dial it. */
  readonly ownNumber: string;
  readonly people: People;
  readonly media: Media;
}

/** What a person wrote; null for what is no message of another, or of a kind that says nothing. */
async function decode(
  message: WireMessage,
  value: WebhookValue,
  context: DecodeContext,
): Promise<InboundMessage | null> {
  const { people } = context;
  if (message.type === "system") {
    await noteChange(message, people);
    return null;
  }
  const ids = idsOf(message, value);
  const [id] = ids;
  // A group has people in it who do not write to the bot; the Cloud API's groups are not served.
  if (id === undefined || id === context.ownNumber || message.group_id !== undefined) return null;
  const person = await people.note(ids);

  const said = message.type === "edit" ? { ...message.edit?.message } : message;
  const messageId = message.type === "edit" ? message.edit?.original_message_id : message.id;
  const attachments = attachmentsOf(said, context.media);
  // An edit says what it changes, and not that this was passed on.
  const isForward = [message, said].some(({ context }) => context?.forwarded || context?.frequently_forwarded);
  const text = isForward ? "" : withCommand(textOf(said));
  const items = itemsOf(said);
  const quotes = isForward ? quotesOf(textOf(said), attachments, items) : [];
  const isEmpty = text.trim() === "" && [quotes, attachments, items].every((some) => some.length === 0);
  const unreadable = isEmpty ? unreadableIn(said) : undefined;
  // An edit changes words alone: what else the message has stays.
  const isEdit = message.edit?.message !== undefined;
  if (messageId === undefined || (isEmpty && unreadable === undefined && !isEdit)) return null;
  const refersTo = referenceOf(said, person, context.ownNumber);
  const name = profileOf(message, value)?.profile?.name;
  return {
    conversation: conversationIn(person.key, context.account),
    messageId,
    sender: { ...senderOf(person), ...(name === undefined ? {} : { name }) },
    text,
    sentAt: Number(message.timestamp) * 1_000,
    ...(message.type === "edit" ? { isEdit: true } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(refersTo === null ? {} : { refersTo }),
    ...(items.length > 0 && !isForward ? { items } : {}),
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(name === undefined ? {} : { chatName: name }),
  };
}

/** A number that is also used in the Business app: somebody deleted a message ("Revoke messages webhook"). */
async function takeBack(
  message: WireMessage,
  value: WebhookValue,
  { decoding: { people, account }, retracted }: ReceiveParts,
): Promise<void> {
  const target = message.revoke?.original_message_id;
  const ids = idsOf(message, value);
  if (target === undefined || ids.length === 0 || message.group_id !== undefined) return;
  const person = await people.note(ids);
  await retracted(conversationIn(person.key, account), target, senderOf(person));
}

/** Somebody pressed a button: that is no text of theirs, though it stands in the chat like one. */
function isPress({ type, interactive }: WireMessage): boolean {
  return type === "interactive" && typeof interactive?.button_reply?.id === "string";
}

async function pressOf(
  message: WireMessage,
  value: WebhookValue,
  { people, account, ownNumber }: DecodeContext,
): Promise<Press | null> {
  const { interactive, context, group_id: group } = message;
  const ids = idsOf(message, value);
  if (ids.length === 0 || ids[0] === ownNumber || group !== undefined) return null;
  const person = await people.note(ids);
  const name = profileOf(message, value)?.profile?.name;
  return {
    conversation: conversationIn(person.key, account),
    messageId: context?.id ?? "",
    choiceId: interactive?.button_reply?.id ?? "",
    sender: { ...senderOf(person), ...(name === undefined ? {} : { name }) },
  };
}

/** The number and the id that hides it; either may be missing, and stand beside the profile only. */
function idsOf(message: WireMessage, value: WebhookValue): string[] {
  const { from = profileOf(message, value)?.wa_id, from_user_id: hidden = profileOf(message, value)?.user_id } =
    message;
  return toIds(from, hidden);
}

/** The profile that belongs to a message: a number is a person's only where no other id says otherwise. */
function profileOf({ from, from_user_id: hidden }: WireMessage, { contacts }: WebhookValue) {
  const isSame = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && toId(one) === toId(other);
  return listIn(contacts).find(({ wa_id: number, user_id: userId }) =>
    hidden !== undefined && userId !== undefined ? isSame(hidden, userId) : isSame(from, number),
  );
}

/** Somebody has got another number or id, and WhatsApp says so ("Webhooks › system messages"). */
async function noteChange(
  { from, from_user_id: hidden, system }: WireMessage,
  people: Pick<People, "link">,
): Promise<void> {
  if (!system?.type?.startsWith("user_changed")) return;
  await people.link(toIds(from, hidden, system.previous_user_id), toIds(system.wa_id, system.user_id));
}

function toIds(...written: readonly (string | undefined)[]): string[] {
  return [...new Set(written.filter((id) => id !== undefined).map(toId))];
}

function textOf(message: Partial<WireMessage>): string {
  switch (message.type) {
    case "text":
      return toMarkdown(message.text?.body ?? "");
    case "button":
      return message.button?.text ?? "";
    case "interactive":
      return message.interactive?.button_reply?.title ?? message.interactive?.list_reply?.title ?? "";
    default:
      return toMarkdown(captionOf(message) ?? "");
  }
}

function captionOf({ image, video, document }: Partial<WireMessage>): string | undefined {
  return image?.caption ?? video?.caption ?? document?.caption;
}

/** What a message answers. Meta tells its id alone: what it said, Hermes has kept. */
function referenceOf({ context }: Partial<WireMessage>, person: KnownPerson, ownNumber: string): Reference | null {
  if (context?.id === undefined) return null;
  const isOwn = context.from !== undefined && toId(context.from) === ownNumber;
  // In a private chat there is nobody else.
  return { messageId: context.id, ...(isOwn ? { isOwn } : { writer: senderOf(person) }) };
}

function itemsOf({ type, location, contacts }: Partial<WireMessage>): SharedItem[] {
  if (type === "location" && location !== undefined) {
    const { latitude = 0, longitude = 0, name, address } = location;
    return [{ kind: "place", name, address, latitude, longitude }];
  }
  return type !== "contacts"
    ? []
    : listIn(contacts).map(({ name, phones, emails }) => ({
        kind: "contact",
        name: name?.formatted_name ?? "",
        addresses: [...listIn(phones).map(({ phone }) => phone), ...listIn(emails).map(({ email }) => email)].flatMap(
          (address) => address ?? [],
        ),
      }));
}

/** What a message holds that nothing can be made of; reactions and news of the chat are none. */
function unreadableIn({ type, interactive }: Partial<WireMessage>): UnreadableKind | undefined {
  switch (type) {
    case "sticker":
      return "sticker";
    case "order":
      return "order";
    case "interactive":
      return interactive?.nfm_reply === undefined ? "other" : "form";
    // Of a kind that WhatsApp does not hand to programs.
    case "unsupported":
    case "unknown":
      return "other";
    default:
      return undefined;
  }
}

/** What it takes to get a file that somebody sent to the number. */
interface Media {
  readonly graph: GraphClient;
  readonly phoneNumberId: string;
}

/** Names for the files that WhatsApp gives none. */
const NAMES = {
  image: "photo.jpg",
  video: "video.mp4",
  audio: "audio.ogg",
  document: "file",
} as const;

function attachmentsOf(message: Partial<WireMessage>, media: Media): Attachment[] {
  const kinds = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const found = kinds.flatMap((kind) => (message[kind] ? [{ kind, file: message[kind] }] : []));
  return found.map(({ kind, file }) => toAttachment(NAMES[kind], file, media));
}

function toAttachment(name: string, file: WireMedia, media: Media): Attachment {
  const mediaType = file.mime_type?.split(";")[0]?.trim() || "application/octet-stream";
  return {
    // How large it is, Meta says only when it is asked where the file lies.
    name: file.filename ?? (file.voice ? "voice.ogg" : name),
    mediaType,
    size: 0,
    download: (request) => download(file, media, request),
  };
}

interface MediaDescription {
  /** In bytes. */
  readonly file_size?: number;
  readonly sha256?: string;
  /** Where the file can be downloaded for some minutes ("Media"). */
  readonly url?: string;
}

/** Gets a file that somebody sent, and compares it with the hash that the message has. */
async function download(
  { id, sha256: named }: WireMedia,
  { graph, phoneNumberId }: Media,
  { signal, most }: Parameters<Download>[0],
): Promise<Response | Uint8Array | null> {
  if (id === undefined) throw rejected("Meta has not named a file", "Send the file again.");
  const path = `${encodeURIComponent(id)}?phone_number_id=${phoneNumberId}`;
  const { file_size: size = 0, url, sha256 = named }: MediaDescription = await graph.call({ path, signal });
  if (size > most) return null;
  if (url === undefined) throw unavailable("Meta does not say where a file lies");
  const response = await graph.download(url, signal);
  if (!response.ok) return response;
  const content = await readResponseBody(response, most);
  if (content === null || sha256 === undefined || isHashOf(sha256, content)) return content;
  throw new Error("it is not the file that the message names");
}

/** Meta writes the hash in base64, and has written it in hexadecimal digits. */
function isHashOf(written: string, content: Uint8Array): boolean {
  const hash = createHash("sha256").update(content).digest();
  return [hash.toString("base64"), hash.toString("hex")].includes(written);
}

interface ReceiveParts {
  readonly phoneNumberId: string;
  readonly decoding: DecodeContext;
  readonly reports: DeliveryReports;
  readonly logger: Logger;
  /** Resolves once Hermes has kept the message. */
  readonly receive: (message: InboundMessage) => Promise<void>;
  /** Resolves once Hermes has kept the press, which stands in the chat as a message with the id `messageId`. */
  readonly choose: (press: Press, messageId: string) => Promise<void>;
  readonly retracted: AdapterContext["retracted"];
}

/** Hands over what a webhook says about the number. Resolves once Hermes has kept all of it. */
export async function receivePayload(payload: WebhookPayload, parts: ReceiveParts): Promise<void> {
  const values = valuesFor(parts.phoneNumberId, payload);
  const statuses = values.flatMap((value) => listIn(value.statuses));
  // A refusal takes seconds to be kept; neither the next one nor a message waits for that.
  const taken = await Promise.allSettled([
    ...statuses.map((status) => parts.reports.take(status)),
    receiveMessages(values, parts),
  ]);
  for (const one of taken) if (one.status === "rejected") throw one.reason;
}

async function receiveMessages(values: readonly WebhookValue[], parts: ReceiveParts): Promise<void> {
  for (const value of values) {
    for (const wire of listIn(value.messages)) {
      if (wire.type === "revoke") await takeBack(wire, value, parts);
      if (isPress(wire)) {
        const press = await read(() => pressOf(wire, value, parts.decoding), parts);
        if (press !== null) await parts.choose(press, wire.id);
        continue;
      }
      const message = await read(() => decode(wire, value, parts.decoding), parts);
      if (message !== null) await parts.receive(message);
    }
  }
}

/** Skips a message that cannot be read: Meta would send it for days, with everything else in the same webhook. */
async function read<T>(decoded: () => Promise<T | null>, { logger }: ReceiveParts): Promise<T | null> {
  try {
    return await decoded();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    logger.error({ error }, "a message cannot be read; it is passed over");
    return null;
  }
}
