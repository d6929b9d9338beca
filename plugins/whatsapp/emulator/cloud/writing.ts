import { CannotEmulate, type EmulatedInbound, type EmulatedPress } from "@hermes/emulator";
import { buttonsIn } from "./buttons.ts";
import { payloadOf } from "./deliveries.ts";
import { BUSINESS, type Person, type World } from "./world.ts";

/** A person writes. Returns the message's id, whose chat it is, and the webhook that tells of it. */
export function write(
  world: World,
  message: EmulatedInbound,
): { readonly messageId: string; readonly person: Person; readonly payload: string } {
  if (message.editOf !== undefined && message.files) throw new CannotEmulate("an edit on WhatsApp changes no files");
  if (message.isBot) throw new CannotEmulate("a business number cannot write to another one");
  const person = personOf(world, message);
  return { person, ...writeAs(world, person, message) };
}

function writeAs(
  world: World,
  person: Person,
  message: EmulatedInbound,
): { readonly messageId: string; readonly payload: string } {
  if (message.editOf !== undefined) return edit(world, person, message.editOf, message.text);
  const messageId = world.newMessageId(person.number);
  const { text, files = [], replyTo, forwarded } = message;
  if (message.isOwn) return { messageId, payload: echo(world, person, messageId, text) };
  person.isWindowOpen = true;
  if (message.userName !== undefined) person.name = message.userName;
  person.messages.push({
    id: messageId,
    author: person.number,
    text,
    raw: message,
    isEdited: false,
    fileNames: files.map(({ name }) => name),
  });
  const [file] = files;
  const content = file ? fileContent(world, file, text) : { type: "text", text: { body: text } };
  const about = {
    ...(replyTo === undefined ? {} : { from: authorOf(person, replyTo), id: replyTo }),
    ...(forwarded ? { forwarded: true } : {}),
  };
  const context = Object.keys(about).length === 0 ? {} : { context: about };
  return { messageId, payload: webhook(world, person, { id: messageId, ...context, ...content }) };
}

function authorOf({ messages, number }: Person, messageId: string): string {
  return messages.find(({ id }) => id === messageId)?.author === number ? number : BUSINESS.number;
}

/** A person taps a reply button, which then stands in the chat as their answer. Returns the webhook that tells of it. */
export function press(world: World, { chatId, messageId, label, userId }: EmulatedPress): string {
  const person = world.person(chatId);
  if (userId !== undefined && world.find(userId) !== person) {
    throw new CannotEmulate(`nobody but ${person.name} sees the buttons in this chat`);
  }
  const message = person.messages.find(({ id, author }) => id === messageId && author === "bot");
  const reply = buttonsIn(message?.raw).find(({ title }) => title === label);
  if (reply === undefined) throw new CannotEmulate(`no button of ${messageId} says ${label}`);
  person.isWindowOpen = true;
  const id = world.newMessageId(person.number);
  const content = {
    type: "interactive",
    context: { from: BUSINESS.number, id: messageId },
    interactive: { type: "button_reply", button_reply: reply },
  };
  const { number: author } = person;
  person.messages.push({ id, author, text: label, raw: content, isEdited: false, fileNames: [] });
  return webhook(world, person, { id, ...content });
}

/** "Coexistence": what a person deletes for everybody. */
export function revoke(world: World, chatId: string, original: string): string {
  const person = world.person(chatId);
  const id = world.newMessageId(person.number);
  return webhook(world, person, { id, type: "revoke", revoke: { original_message_id: original } });
}

/** A message of another kind. */
export function writeOther(world: World, chatId: string, content: object): { messageId: string; payload: string } {
  const person = world.person(chatId);
  const messageId = world.newMessageId(person.number);
  return { messageId, payload: webhook(world, person, { id: messageId, ...content }) };
}

/** In a private chat there is only the other person; whoever else writes, writes in a chat of their own. */
function personOf(world: World, { chatId, userId }: EmulatedInbound): Person {
  if (userId === undefined) return world.person(chatId);
  return world.find(userId) ?? world.add(userId, "Somebody");
}

function webhook(world: World, person: Person, message: object): string {
  const { number, userId, name, hidesNumber } = person;
  const from = hidesNumber ? {} : { from: number };
  const waId = hidesNumber ? {} : { wa_id: number };
  const contacts = [{ profile: { name }, ...waId, user_id: userId }];
  return payloadOf("messages", {
    contacts,
    messages: [{ ...from, from_user_id: userId, timestamp: world.seconds(), ...message }],
  });
}

/** "Coexistence": what the business wrote in the app of the same number comes back. */
function echo(world: World, { number }: Person, id: string, body: string): string {
  const message = { from: BUSINESS.number, to: number, id, timestamp: world.seconds(), type: "text", text: { body } };
  return payloadOf("smb_message_echoes", { message_echoes: [message] });
}

/** "Coexistence": what a person changes is told as a message of its own. */
function edit(world: World, person: Person, original: string, text: string): { messageId: string; payload: string } {
  const known = person.messages.find(({ id }) => id === original);
  if (known === undefined) throw new Error(`there is no message ${original}`);
  known.text = text;
  known.isEdited = true;
  const id = world.newMessageId(person.number);
  const message = { type: "text", text: { body: text } };
  return {
    messageId: original,
    payload: webhook(world, person, { id, type: "edit", edit: { original_message_id: original, message } }),
  };
}

function fileContent(
  world: World,
  { name, mediaType, content }: NonNullable<EmulatedInbound["files"]>[number],
  caption: string,
): object {
  const media = world.addMedia({ name, mediaType, content: Buffer.from(content) });
  const about = { id: media.id, mime_type: mediaType, ...(caption === "" ? {} : { caption }) };
  return mediaType.startsWith("image/")
    ? { type: "image", image: { ...about } }
    : { type: "document", document: { ...about, filename: name } };
}
