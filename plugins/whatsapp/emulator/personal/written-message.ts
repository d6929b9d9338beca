import { CannotEmulate, type EmulatedInbound, type EmulatedRetraction } from "@hermes/emulator";
import { type BinaryNode, proto } from "@whiskeysockets/baileys";
import { encryptFile } from "#src/personal/media-crypto";
import { node } from "./nodes.ts";
import type { Encrypted, KeyBundle } from "./signal-device.ts";
import { type Chat, type LinkedDevice, lidJid, numberJid, type Person, type PersonalWorld } from "./world.ts";

export interface WritingContext {
  readonly world: PersonalWorld;
  /** Keeps the body of a file; returns its path and address. */
  readonly keepFile: (body: Buffer) => { readonly path: string; readonly url: string };
}

/** What only the personal WhatsApp has of a message that a person writes. */
export interface PersonalInbound extends EmulatedInbound {
  /** A message of another kind. */
  readonly content?: proto.IMessage;
}

export interface Written {
  readonly messageId: string;
  readonly sender: Person;
  readonly chat: Chat;
  readonly message: proto.IMessage;
  /** It was written on the account's own phone. */
  readonly isOwn: boolean;
}

/** A person writes. What comes of it is encrypted for each of the account's devices by `encryptFor`. */
export async function write(context: WritingContext, written: PersonalInbound): Promise<Written> {
  const { world } = context;
  if (written.editOf !== undefined && written.files) throw new CannotEmulate("an edit on WhatsApp changes no files");
  if (written.isBot) throw new CannotEmulate("WhatsApp tells of nobody that they are a bot");
  const { chat, sender } = placeOf(world, written);
  if (written.userName !== undefined) sender.name = written.userName;
  const content = written.content ?? (await contentOf(context, chat, written));
  if (written.editOf !== undefined) return { ...edit(world, chat, written, content), sender, chat, isOwn: false };
  const messageId = world.newMessageId();
  chat.messages.push({
    id: messageId,
    author: sender.number,
    text: written.text,
    raw: written,
    isEdited: false,
    fileNames: (written.files ?? []).map(({ name }) => name),
    at: world.clock.now(),
  });
  return { messageId, sender, chat, message: content, isOwn: sender === world.owner };
}

/** A person deletes a message for everybody. Nobody but the apps checks whose it is. */
export function revoke(world: PersonalWorld, { chatId, messageId, userId }: EmulatedRetraction): Written {
  const chat = world.chat(chatId);
  const author = chat.messages.find(({ id }) => id === messageId)?.author;
  const { sender } = placeOf(world, {
    chatId,
    text: "",
    ...(author === undefined ? {} : { userId: userId ?? author }),
  });
  const key = { id: messageId, fromMe: true, remoteJid: chat.id };
  const message = { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } };
  return { messageId: world.newMessageId(), sender, chat, message, isOwn: sender === world.owner };
}

/** The message as a linked device gets it from the server. */
export async function stanzaFor(
  { messageId, sender, chat, message, isOwn }: Written,
  device: LinkedDevice,
  world: PersonalWorld,
): Promise<BinaryNode> {
  const encrypted = await encryptFor({ sender, chat, message, isOwn }, device, world);
  const content = encrypted.map(({ type, bytes }) => node("enc", { v: "2", type }, Buffer.from(bytes)));
  const attrs = { id: messageId, type: "text", t: String(world.seconds()), notify: sender.name };
  return node("message", { ...attrs, ...addressOf(sender, chat, isOwn) }, content);
}

function placeOf(world: PersonalWorld, { chatId, userId, isOwn }: EmulatedInbound): { chat: Chat; sender: Person } {
  const chat = world.chat(chatId);
  if (isOwn) return { chat, sender: world.owner };
  if (userId === undefined) {
    const [first] = chat.members;
    if (first === undefined) throw new Error(`nobody is in ${chatId}`);
    return { chat, sender: first };
  }
  const known = world.find(userId) ?? world.add(userId, "Somebody");
  // In a chat of two there is only the other person; whoever else writes, writes in a chat of their own.
  return { chat: chat.kind === "group" ? chat : (world.chatWith(known) ?? chat), sender: known };
}

async function contentOf(
  { world, keepFile }: WritingContext,
  chat: Chat,
  { text, files = [], mentions, replyTo, forwarded }: EmulatedInbound,
): Promise<proto.IMessage> {
  const [file] = files;
  const passedOn = forwarded ? { isForwarded: true, forwardingScore: 1 } : {};
  if (file) {
    const kind = file.mediaType.startsWith("image/") ? "image" : "document";
    const content = Buffer.from(file.content);
    const { body, mediaKey, sha256, bodySha256 } = await encryptFile(content, kind);
    const { path, url } = keepFile(body);
    const about = {
      url,
      directPath: path,
      mediaKey,
      fileSha256: sha256,
      fileEncSha256: bodySha256,
      fileLength: content.length,
    };
    const contextInfo = forwarded ? { contextInfo: passedOn } : {};
    const common = { ...about, ...contextInfo, mimetype: file.mediaType, ...(text === "" ? {} : { caption: text }) };
    return kind === "image" ? { imageMessage: common } : { documentMessage: { ...common, fileName: file.name } };
  }
  const quoted = chat.messages.find(({ id }) => id === replyTo);
  if (!mentions && !quoted && !forwarded) return { conversation: text };
  const author = quoted?.author === "bot" ? world.owner : world.find(quoted?.author ?? "");
  const contextInfo = {
    ...passedOn,
    ...(mentions ? { mentionedJid: [lidJid(world.owner)] } : {}),
    ...(quoted
      ? { stanzaId: quoted.id, participant: author && lidJid(author), quotedMessage: { conversation: quoted.text } }
      : {}),
  };
  return { extendedTextMessage: { text: mentions ? `@${world.owner.lid} ${text}` : text, contextInfo } };
}

function edit(
  world: PersonalWorld,
  chat: Chat,
  { editOf = "", text }: EmulatedInbound,
  editedMessage: proto.IMessage,
): { messageId: string; message: proto.IMessage } {
  const known = chat.messages.find(({ id }) => id === editOf);
  if (known === undefined) throw new Error(`there is no message ${editOf}`);
  known.text = text;
  known.isEdited = true;
  const key = { id: editOf, fromMe: true, remoteJid: chat.id };
  const type = proto.Message.ProtocolMessage.Type.MESSAGE_EDIT;
  return {
    messageId: world.newMessageId(),
    message: { protocolMessage: { key, type, editedMessage, timestampMs: world.clock.now() } },
  };
}

async function encryptFor(
  { sender, chat, message, isOwn }: Omit<Written, "messageId">,
  device: LinkedDevice,
  world: PersonalWorld,
): Promise<Encrypted[]> {
  const to = lidJid(world.owner, device.number);
  const bundleOf = () => takeBundle(device);
  if (chat.kind === "dm") {
    const copy = { deviceSentMessage: { destinationJid: `${chat.id}@s.whatsapp.net`, message } };
    return [await sender.phone.encryptFor(to, isOwn ? copy : message, bundleOf)];
  }
  const { encrypted, senderKey } = await sender.phone.encryptForGroup(chat.id, message);
  const keyed = `${sender.number} ${device.number}`;
  if (chat.keyedDevices.has(keyed)) return [encrypted];
  chat.keyedDevices.add(keyed);
  return [await sender.phone.encryptFor(to, senderKey, bundleOf), encrypted];
}

/** Each one-time key is handed out once. */
function takeBundle({ registrationId, identity, signed, oneTime }: LinkedDevice): KeyBundle {
  return { registrationId, identity, signed, oneTime: oneTime.shift() ?? null };
}

/** Who wrote, and where, by the ids that the server uses in this chat. */
function addressOf(sender: Person, chat: Chat, isOwn: boolean): Record<string, string> {
  const [number, lid] = [numberJid(sender), lidJid(sender)];
  if (chat.kind === "group") {
    const both = { participant: lid, addressing_mode: "lid", participant_pn: number };
    const { participant_pn: _, ...hidden } = both;
    return { from: chat.id, ...(chat.addressing === "only-lid" ? hidden : both) };
  }
  const recipient: Record<string, string> = isOwn ? { recipient: `${chat.id}@s.whatsapp.net` } : {};
  switch (chat.addressing) {
    case "number":
      return { from: number, sender_lid: lid, ...recipient };
    case "lid":
      return isOwn ? { from: number, ...recipient } : { from: lid, addressing_mode: "lid", sender_pn: number };
    case "only-lid":
      return isOwn ? { from: number, ...recipient } : { from: lid, addressing_mode: "lid" };
  }
}
