import {
  type Attachment,
  type Conversation,
  type InboundMessage,
  type KnownPerson,
  RecentMap,
  readAttachment,
  type Sender,
  senderOf,
  shortName,
  z,
} from "@hermes/core";
import type { Account, SelfAddress } from "./account.ts";
import type { DataMessage, Envelope, ReceivedEvent, WireAttachment } from "./envelope.ts";
import { rejected, toPlatformError } from "./errors.ts";
import { toMarkdown } from "./inbound-text.ts";
import { itemsOf, referenceOf, unreadableIn } from "./references.ts";
import { canonicalId, conversationIn, isNumber, messageIdOf } from "./source.ts";

interface DecodeContext extends Account {
  readonly originals: Originals;
  /** Aborts when nothing is to be received any more. */
  readonly signal: AbortSignal;
}

/** How many edits are remembered. */
const MOST_EDITS = 1_000;

/**
 * Knows which message an edit changes. Signal names it by its time, and an edit of an edit may name the edit before;
 * Hermes knows a message by the time of its first version.
 */
export class Originals {
  readonly #byEdit = new RecentMap<string, number>(MOST_EDITS);

  /** The time of the first version of a message that somebody names by one of its times. */
  first(author: string, timestamp: number): number {
    return this.#byEdit.get(`${author}:${timestamp}`) ?? timestamp;
  }

  /** The time of the first version of a message that was sent, or edited, at `timestamp`. */
  of(author: string, timestamp: number, editOf: number | undefined): number {
    if (editOf === undefined) return timestamp;
    const original = this.first(author, editOf);
    this.#byEdit.set(`${author}:${timestamp}`, original);
    return original;
  }
}

/** Something that was written, wherever in the envelope it stood. */
interface Written {
  readonly data: DataMessage;
  /** Of an edit: when the message that it changes was sent. */
  readonly editOf?: number;
  /** Written by the account itself, on another of its devices. */
  readonly isSync: boolean;
}

/** What the mention of somebody stands on in the text (OBJECT REPLACEMENT CHARACTER). */
const MENTION_MARK = "\ufffc";

/** What a person wrote; null for what is no message of another: reactions, changes of a group, Hermes' own words. */
export async function decode({ envelope }: ReceivedEvent, context: DecodeContext): Promise<InboundMessage | null> {
  const written = writtenIn(envelope);
  const ids = await idsOf(envelope, context);
  const [author] = ids;
  if (written === null || author === undefined) return null;
  const { data, editOf, isSync } = written;
  const isOwn = context.self.isAny(...ids);
  if (isSync ? !isNoteToSelf(envelope) || isOwnNote(written, context) : isOwn) return null;

  const { groupInfo } = data;
  const origin = groupInfo ? { groupId: groupInfo.groupId } : { recipient: author };
  const text = await textOf(data, origin, context);
  const attachments = attachmentsOf(data.attachments ?? [], origin, context);
  const items = itemsOf(data);
  const isEmpty = text === "" && attachments.length === 0 && items.length === 0;
  const unreadable = isEmpty ? unreadableIn(data) : undefined;
  const isEdit = editOf !== undefined;
  if (isEmpty && unreadable === undefined && !isEdit) return null;
  const person = await personOf(ids, context);
  const chatName = groupInfo ? groupInfo.groupName : envelope.sourceName;
  const original = context.originals.of(author, data.timestamp, editOf);
  const firstOf = (by: string, timestamp: number) => context.originals.first(by, timestamp);
  const refersTo = await referenceOf(data, { ...context, firstOf, isNote: isSync });
  return {
    conversation: placeOf(data, person, context),
    messageId: messageIdOf(author, original),
    sender: { ...senderOf(person), ...(envelope.sourceName ? { name: envelope.sourceName } : {}) },
    text,
    sentAt: data.timestamp,
    // An edit changes words alone: what else the message has stays.
    ...(isEdit ? { isEdit } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(refersTo === null ? {} : { refersTo }),
    ...(items.length > 0 ? { items } : {}),
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(isAddressed(data, context.self) ? { isAddressed: true } : {}),
    ...(chatName ? { chatName } : {}),
  };
}

/** A message that somebody deleted: one of their own, since the id holds who wrote it. */
interface Retraction {
  readonly at: Conversation;
  readonly messageId: string;
  readonly by: Sender;
}

/** What an event takes back ("JsonRemoteDelete"); null for all others. */
export async function retractionIn({ envelope }: ReceivedEvent, context: DecodeContext): Promise<Retraction | null> {
  const written = writtenIn(envelope);
  const target = written?.data.remoteDelete?.timestamp;
  if (written === null || target === undefined || (written.isSync && !isNoteToSelf(envelope))) return null;
  const ids = await idsOf(envelope, context);
  const [author] = ids;
  if (author === undefined) return null;
  const person = await personOf(ids, context);
  const messageId = messageIdOf(author, context.originals.first(author, target));
  return { at: placeOf(written.data, person, context), messageId, by: senderOf(person) };
}

function placeOf({ groupInfo }: DataMessage, { key }: KnownPerson, { options }: DecodeContext): Conversation {
  const chatId = groupInfo ? canonicalId(groupInfo.groupId) : key;
  return conversationIn(chatId, groupInfo ? "group" : "dm", options.account);
}

function writtenIn({ dataMessage, editMessage, syncMessage, timestamp }: Envelope): Written | null {
  if (dataMessage) return { data: dataMessage, isSync: false };
  if (editMessage) return editIn(editMessage, false);
  const sent = syncMessage?.sentMessage;
  if (!sent) return null;
  if (sent.editMessage) return editIn(sent.editMessage, true);
  return { data: { ...sent, timestamp: sent.timestamp ?? timestamp }, isSync: true };
}

function editIn(
  { targetSentTimestamp, dataMessage: data }: NonNullable<Envelope["editMessage"]>,
  isSync: boolean,
): Written {
  return { data, editOf: targetSentTimestamp, isSync };
}

/** The ids of who wrote: the service id, which stays, and the number, which may be hidden, or show only later. */
async function idsOf(
  { sourceUuid, sourceNumber }: Envelope,
  { numbers, identities }: DecodeContext,
): Promise<readonly string[]> {
  const [uuid, number] = [sourceUuid, sourceNumber].map((id) => (id ? canonicalId(id) : null));
  if (uuid && number) numbers.heard(uuid, number);
  const hidden = uuid && !number ? await numbers.of(uuid) : null;
  const holder = hidden === null ? null : await identities.holder(hidden);
  // What was learnt before says nothing about a number that somebody else was heard from since.
  const isAnothers = holder?.ids.some(({ id, strength }) => strength === "strong" && id !== uuid) === true;
  return [uuid, number, isAnothers ? null : hidden].flatMap((id) => id ?? []);
}

function personOf(ids: readonly string[], { identities }: DecodeContext): Promise<KnownPerson> {
  return identities.note(ids.map((id) => ({ id, strength: isNumber(id) ? "weak" : "strong" })));
}

/** What the account sent to itself; all else that it wrote on other devices was for other people. */
function isNoteToSelf({ sourceUuid, sourceNumber, syncMessage }: Envelope): boolean {
  const sent = syncMessage?.sentMessage;
  if (!sent || sent.groupInfo || sent.editMessage?.dataMessage.groupInfo) return false;
  const isSame = (a: string | null | undefined, b: string | null | undefined) =>
    a && b && canonicalId(a) === canonicalId(b);
  return Boolean(isSame(sent.destinationUuid, sourceUuid) || isSame(sent.destinationNumber, sourceNumber));
}

function isOwnNote({ data, editOf }: Written, { ownNotes }: DecodeContext): boolean {
  const fileNames = (data.attachments ?? []).map(({ filename }) => filename ?? "");
  return ownNotes.recognises(editOf ?? data.timestamp, { text: data.message ?? "", fileNames });
}

async function textOf(data: DataMessage, origin: FileOrigin, context: DecodeContext): Promise<string> {
  const { self } = context;
  const whole = await longTextOf(data.message ?? "", data.attachments ?? [], origin, context);
  const mentions = (data.mentions ?? []).map((mention) => ({
    ...mention,
    isSelf: self.isAny(...[mention.uuid, mention.number].map((id) => id && canonicalId(id))),
  }));
  // A mention of the account at the beginning only says whom the message is for.
  const first = mentions.find(({ isSelf, start }) => isSelf && start === 0);
  const named = mentions.map((mention) => ({ ...mention, shown: mention === first ? "" : `@${nameIn(mention)}` }));
  const markdown = toMarkdown(whole, data.textStyles ?? [], named).replaceAll(MENTION_MARK, "");
  return first ? markdown.trimStart() : markdown;
}

function nameIn({
  isSelf,
  name,
  number,
  uuid,
}: {
  readonly isSelf: boolean;
  readonly name?: string | null | undefined;
  readonly number?: string | null | undefined;
  readonly uuid?: string | null | undefined;
}): string {
  return isSelf ? "Hermes" : shortName(name ?? "") || number || uuid || "somebody";
}

function isAddressed({ message, mentions, quote }: DataMessage, self: SelfAddress): boolean {
  const isSelf = (...ids: (string | null | undefined)[]) => self.isAny(...ids.map((id) => id && canonicalId(id)));
  if (mentions?.some(({ uuid, number }) => isSelf(uuid, number))) return true;
  if (quote && isSelf(quote.authorUuid, quote.authorNumber)) return true;
  return /^\/[a-z]/i.test(message ?? "");
}

/** The rest of a text that is too long for a message: the whole of it, as a file ("MimeUtils.LONG_TEXT"). */
const LONG_TEXT = "text/x-signal-plain";

const dataAnswer = z.object({ data: z.string() });

/** The chat that a file came in, as signal-cli wants it named. */
type FileOrigin = { readonly recipient: string } | { readonly groupId: string };

type Context = Pick<DecodeContext, "client" | "clock" | "logger" | "signal">;

/** Stands behind the beginning of a long text whose rest is missing, so that nobody takes it for the whole. */
const REST_IS_MISSING = "(The rest of this message could not be loaded. Ask for it to be sent again in parts.)";

/** The whole of a text of which `begun` may be only the beginning; that with a mark, where the rest cannot be had. */
async function longTextOf(
  begun: string,
  files: readonly WireAttachment[],
  origin: FileOrigin,
  context: Context,
): Promise<string> {
  const file = files.find(isLongText);
  if (file === undefined) return begun;
  const { attachment } = await readAttachment(toAttachment(file, origin, context), context);
  return attachment.text ?? `${begun}\n\n${REST_IS_MISSING}`;
}

function attachmentsOf(files: readonly WireAttachment[], origin: FileOrigin, context: Context): Attachment[] {
  return files.filter((file) => !isLongText(file)).map((file) => toAttachment(file, origin, context));
}

function isLongText({ contentType }: WireAttachment): boolean {
  return contentType === LONG_TEXT;
}

function toAttachment(file: WireAttachment, origin: FileOrigin, context: Context): Attachment {
  const mediaType = file.contentType || "application/octet-stream";
  return {
    name: file.filename || nameFor(mediaType),
    mediaType,
    size: file.size ?? 0,
    download: ({ signal }) => contentOf(file, origin, context, signal),
  };
}

/** The daemon has files on its disk ("getAttachment"), unless it runs with `--ignore-attachments`. */
async function contentOf(
  { id }: WireAttachment,
  origin: FileOrigin,
  { client, signal }: Context,
  until: AbortSignal,
): Promise<Buffer> {
  if (!id) throw rejected("signal-cli has not named a file", "Send the file again.");
  try {
    const answer = await client.call("getAttachment", { id, ...origin }, { signal: AbortSignal.any([until, signal]) });
    return Buffer.from(dataAnswer.parse(answer).data, "base64");
  } catch (error) {
    throw toPlatformError(error);
  }
}

/** Pictures and voice messages mostly come without a name. */
function nameFor(mediaType: string): string {
  return `a file of the kind ${mediaType.split("/")[0] ?? "unknown"}`;
}
