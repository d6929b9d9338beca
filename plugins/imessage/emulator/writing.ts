import { CannotEmulate, type EmulatedInbound } from "@hermes/emulator";
import { SELF } from "./database.ts";
import type { Chat, Handle, NewRow, Row, Service } from "./rows.ts";
import type { World } from "./world.ts";

/** What only Messages has of a message that a person writes. */
export interface IMessageInbound extends EmulatedInbound {
  /** Fields of the row that are set besides. */
  readonly row?: Partial<NewRow>;
}

/** Writes as a person, or as the account's owner from another device. */
export function write(world: World, inbound: IMessageInbound): Row {
  if (inbound.isBot) throw new CannotEmulate("Messages does not tell bots from people.");
  if (inbound.forwarded) throw new CannotEmulate("a message that was passed on looks like any other in Messages");
  if (inbound.editOf !== undefined) {
    if (inbound.files) throw new CannotEmulate("an edit in Messages changes no files");
    const { text, mentions } = valuesOf(world, inbound);
    return edit(world, inbound.editOf, { text: text ?? "", mentions: mentions ?? [] });
  }
  const { chat, writer } = placeOf(world, inbound);
  const isToOneself = world.database.isToOneself(chat);
  if (inbound.isOwn && isToOneself) {
    throw new CannotEmulate("what the account writes to itself from another device is a person's message");
  }
  const author = inbound.isOwn ? SELF.address : writer.address;
  const values = { ...valuesOf(world, inbound), chat, author };
  if (isToOneself) return writeToOneself(world, { ...values, ...inbound.row });
  const isFromMe = inbound.isOwn === true;
  const handle = isFromMe ? {} : { handle: writer };
  const row = world.database.compose({ ...values, isFromMe, ...handle, ...inbound.row });
  world.arrive(row, !isFromMe);
  return row;
}

/** To oneself a message is written twice: as it is sent, and as it comes. */
function writeToOneself(world: World, values: Omit<NewRow, "isFromMe">): Row {
  const sent = world.database.compose({ ...values, isFromMe: true });
  const came = world.database.compose({ ...values, isFromMe: false });
  // Whatever happens to one event happens to the other.
  world.arrive(sent, true);
  world.arrive(came, false);
  return sent;
}

function edit(world: World, guid: string, values: Pick<Row, "text" | "mentions">): Row {
  const row = world.database.message(guid);
  if (row === undefined) throw new Error(`there is no message ${guid}`);
  change(world, row, values);
  return row;
}

/** Takes a message back: nothing is left of it but its row. */
export function unsend(world: World, guid: string, author: string): void {
  const row = world.database.message(guid);
  if (row === undefined) throw new Error(`there is no message ${guid}`);
  if (row.author !== author) throw new CannotEmulate("nobody can take back what somebody else wrote in Messages");
  change(world, row, { text: null, partCount: 0 });
}

/** Changes a row; of a note to oneself, both. */
function change(
  { database, events }: World,
  row: Row,
  values: Partial<Pick<Row, "text" | "mentions" | "partCount">>,
): void {
  const { chat, text, dateCreated } = row;
  const isTwin = (other: Row) => other.chat === chat && other.text === text && other.dateCreated === dateCreated;
  const isToOneself = database.isToOneself(chat);
  for (const one of isToOneself ? database.rows.filter(isTwin) : [row]) {
    if (one.text !== null && values.text !== null) one.earlierTexts.push(one.text);
    Object.assign(one, { ...values, dateEdited: database.now });
    events.tellChanged(one);
  }
}

function valuesOf({ database }: World, { text, mentions, files = [], replyTo }: IMessageInbound): Partial<NewRow> {
  const attachments = files.map(({ content, ...file }) =>
    database.attach({ ...file, content: Buffer.from(content) }, false),
  );
  const root = replyTo === undefined ? undefined : database.message(replyTo);
  if (replyTo !== undefined && root === undefined) throw new Error(`there is no message ${replyTo}`);
  const places = "\ufffc".repeat(attachments.length);
  const { name, address } = SELF;
  const mention = { range: [places.length, name.length] as const, address };
  return {
    text: mentions ? `${places}${name} ${text}` : `${places}${text}`,
    mentions: mentions ? [mention] : [],
    attachments,
    partCount: Math.max(1, attachments.length + (text === "" ? 0 : 1)),
    threadOriginatorGuid: root?.threadOriginatorGuid ?? root?.guid ?? null,
  };
}

interface WrittenAt {
  readonly chat: Chat;
  readonly writer: Handle;
}

/** The chat, and who writes there. Somebody else than the one of a private chat writes in a private chat of their own. */
function placeOf(world: World, { chatId, userId, userName }: IMessageInbound): WrittenAt {
  const { database } = world;
  const chat = database.chat(chatId) ?? newChat(world, chatId);
  const [first] = chat.participants;
  const writer = userId === undefined ? first : database.handle(userId, chat.service);
  if (writer === undefined) throw new Error(`nobody is in ${chatId} to write`);
  if (userName !== undefined) writer.name = userName;
  if (chat.style === 45) return { chat: writer === first ? chat : database.privateChat(writer), writer };
  if (!chat.participants.includes(writer)) chat.participants.push(writer);
  return { chat, writer };
}

function newChat({ database }: World, guid: string): Chat {
  const [, service, address] = /^(iMessage|SMS);-;(\+\d{5,15}|\S+@\S+)$/.exec(guid) ?? [];
  if (service === undefined || address === undefined) throw new Error(`there is no chat ${guid}`);
  return database.privateChat(database.handle(address, service as Service));
}
