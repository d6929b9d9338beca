import { CannotEmulate, type EmulatedInbound } from "@hermes/emulator";
import type { WireAttachment, WireStyle } from "./wire.ts";
import { makePerson, type Person, SELF, type StoredMessage, type World } from "./world.ts";

/** What only Signal has of a message that a person writes. */
export interface SignalInbound extends EmulatedInbound {
  readonly styles?: readonly WireStyle[];
  /** The person hides the number: only the service id comes along. */
  readonly hidesNumber?: boolean;
  /** The text is longer than a message may be: the message has its beginning, and the whole comes as a file. */
  readonly isLong?: boolean;
  /** The data message gets these fields besides. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

const MENTION_MARK = "\ufffc";

/** Bytes of a long text that stand in the message itself. */
const LONGEST_TEXT = 2000;

/** Stores what a person writes, and returns the event that the daemon makes of it. */
export function write(
  world: World,
  inbound: SignalInbound,
  account: string,
): { readonly id: string; readonly event: unknown } {
  if (inbound.isBot) throw new CannotEmulate("Signal does not tell bots from people.");
  const group = world.group(inbound.chatId);
  if (!group && world.person(inbound.chatId) === undefined) throw new Error(`there is no chat ${inbound.chatId}`);
  const author = writerOf(world, inbound);
  const messages = world.messagesIn(inbound.chatId);
  const message = inbound.isOwn ? ownMessage(world, inbound, messages) : newMessage(world, inbound, author, messages);
  const data = {
    ...dataOf(world, inbound, message.timestamp),
    ...(group ? { groupInfo: { groupId: group.id, groupName: group.name, revision: 1, type: "DELIVER" } } : {}),
  };
  const isFromSelf = author.uuid === SELF.uuid;
  const content = editedAs(data, inbound);
  const { uuid, number } = group ? { uuid: null, number: null } : destinationOf(world, inbound);
  const body = isFromSelf
    ? {
        syncMessage: {
          sentMessage: { destination: number ?? uuid, destinationNumber: number, destinationUuid: uuid, ...content },
        },
      }
    : "editMessage" in content
      ? content
      : { dataMessage: content };
  const envelope = { ...sourceOf(author, inbound), timestamp: data.timestamp };
  const event = { envelope: { ...envelope, ...body }, account };
  const id = `${message.author}:${message.timestamp}`;
  if (!author.isUntrusted) return { id, event };
  world.keepUnread(author, event);
  const exception = { message: `Untrusted identity: ${author.uuid}`, type: "UntrustedIdentityException" };
  return { id, event: { envelope, account, exception } };
}

function writerOf(world: World, { isOwn, userId, userName, chatId }: SignalInbound): Person {
  if (isOwn) return SELF;
  const known = world.person(userId ?? chatId) ?? world.group(chatId)?.members[0];
  if (userId === undefined || world.person(userId)) {
    if (known === undefined) throw new Error("nobody is there to write");
    return userName === undefined ? known : { ...known, name: userName };
  }
  if (!/^[0-9a-f-]{36}$/.test(userId)) throw new Error(`${userId} is neither a known number nor a UUID`);
  const stranger = makePerson(userName ?? "Somebody", userId, null);
  world.people.push(stranger);
  return stranger;
}

/**
 * The account's own message, come back from one of its other devices: the last that Hermes wrote, or one of its
 * owner's.
 */
function ownMessage(world: World, { chatId, text }: SignalInbound, messages: readonly StoredMessage[]): StoredMessage {
  const last = messages.findLast(({ author }) => author === SELF.uuid);
  if (chatId === SELF.uuid && last === undefined) {
    throw new CannotEmulate("A note to oneself that Hermes has not written is one of the account's owner.");
  }
  if (chatId === SELF.uuid && last !== undefined) return last;
  return { author: SELF.uuid, timestamp: world.newTimestamp(), text, raw: text, isEdited: false, files: [] };
}

function newMessage(world: World, inbound: SignalInbound, author: Person, messages: StoredMessage[]): StoredMessage {
  const { text, editOf, files = [] } = inbound;
  const edited = editOf === undefined ? undefined : messages.find((one) => `${one.author}:${one.timestamp}` === editOf);
  if (editOf !== undefined && edited === undefined) throw new Error(`there is no message ${editOf}`);
  if (edited) return Object.assign(edited, { text, raw: inbound, isEdited: true });
  const message: StoredMessage = {
    // In the notes to oneself Hermes and the person are one account; the console and tests tell them apart.
    ...{ author: author.uuid === SELF.uuid ? `${SELF.uuid}/phone` : author.uuid, timestamp: world.newTimestamp() },
    ...{
      text,
      raw: inbound,
      isEdited: false,
      files: files.map((file) => ({ ...file, content: Buffer.from(file.content) })),
    },
  };
  messages.push(message);
  return message;
}

function dataOf(world: World, inbound: SignalInbound, timestamp: number) {
  const { text, mentions, styles = [], files = [], replyTo, isLong, forwarded, fields } = inbound;
  if (forwarded) throw new CannotEmulate("a message that was passed on looks like any other on Signal");
  if (inbound.editOf !== undefined && inbound.files) throw new CannotEmulate("an edit on Signal changes no files");
  const shift = mentions ? MENTION_MARK.length + 1 : 0;
  const whole = mentions ? `${MENTION_MARK} ${text}` : text;
  const attachments = files.map(({ name, mediaType, content }) => attach(world, content, mediaType, name));
  if (isLong) attachments.push(attach(world, whole, "text/x-signal-plain", null));
  const moved = styles.map((style) => ({ ...style, start: style.start + shift }));
  const quote = replyTo === undefined ? {} : { quote: quoteOf(world, inbound.chatId, replyTo) };
  return {
    // An edit has a time of its own.
    timestamp: inbound.editOf === undefined ? timestamp : world.newTimestamp(),
    message: isLong ? beginningOf(whole) : whole || null,
    ...{ expiresInSeconds: 0, viewOnce: false },
    ...(mentions
      ? { mentions: [{ name: SELF.number, number: SELF.number, uuid: SELF.uuid, start: 0, length: 1 }] }
      : {}),
    ...(moved.length > 0 ? { textStyles: moved } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...quote,
    ...fields,
  };
}

/** The app sends the words along that it quotes. */
function quoteOf(world: World, chatId: string, replyTo: string) {
  const [author = SELF.uuid, id = "0"] = replyTo.split(":");
  const quoted = world.messagesIn(chatId).find((one) => one.author === author && one.timestamp === Number(id));
  const [authorUuid = author] = author.split("/");
  return { id: Number(id), authorUuid, authorNumber: null, text: quoted?.text ?? "" };
}

function attach(
  world: World,
  content: string | Uint8Array,
  contentType: string,
  filename: string | null,
): WireAttachment {
  return { contentType, filename, id: world.attach(content), size: Buffer.byteLength(content) };
}

function beginningOf(text: string): string {
  return new TextDecoder("utf-8").decode(Buffer.from(text).subarray(0, LONGEST_TEXT)).replace(/\ufffd$/, "");
}

function editedAs(data: ReturnType<typeof dataOf>, { editOf }: SignalInbound) {
  if (editOf === undefined) return data;
  const [, target = "0"] = editOf.split(":");
  return { editMessage: { targetSentTimestamp: Number(target), dataMessage: data } };
}

function destinationOf(world: World, { chatId }: SignalInbound): { uuid: string | null; number: string | null } {
  const person = world.person(chatId);
  return { uuid: person?.uuid ?? null, number: person?.number ?? null };
}

function sourceOf({ uuid, number, name }: Person, { hidesNumber }: SignalInbound) {
  const sourceNumber = hidesNumber ? null : number;
  return { source: sourceNumber ?? uuid, sourceNumber, sourceUuid: uuid, sourceName: name, sourceDevice: 1 };
}
