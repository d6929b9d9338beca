import { sniffMediaType } from "@hermes/core";
import type { EmulatedFile } from "@hermes/emulator";
import { type BinaryNode, normalizeMessageContent, proto } from "@whiskeysockets/baileys";
import { plainText } from "#src/markup";
import { decryptFile } from "#src/personal/media-crypto";
import { childOf, childrenOf } from "./nodes.ts";
import type { Encrypted } from "./signal-device.ts";
import { type Chat, type LinkedDevice, lidJid, type Person, type PersonalWorld } from "./world.ts";

/** How long a message can be changed, in milliseconds. */
const EDITABLE_MS = 15 * 60_000;

/** WhatsApp's longest text, in UTF-16 units. */
const LONGEST_TEXT = 65_536;

/** Why the server does not take a message, by its code. */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`refused with ${code}`);
    this.code = code;
  }
}

export interface SentMessageContext {
  readonly world: PersonalWorld;
  readonly device: LinkedDevice;
  /** The body of a file by its path. */
  readonly file: (path: string) => Buffer | undefined;
}

/**
 * Takes a message that a linked device sent: decrypts it as each receiver does, and puts it where they read it. A
 * second one with the same id is the same message. Throws Refused.
 */
export async function takeSent(stanza: BinaryNode, context: SentMessageContext): Promise<void> {
  const { world, device } = context;
  const chat = chatFor(stanza.attrs.to ?? "", world);
  const from = lidJid(world.owner, device.number);
  const message = await decryptForAll(stanza, chat, from, world);
  const content = normalizeMessageContent(message) ?? {};
  const { protocolMessage } = content;
  if (protocolMessage?.type === proto.Message.ProtocolMessage.Type.MESSAGE_EDIT) {
    return edit(world, chat, protocolMessage.key?.id ?? "", textOf(protocolMessage.editedMessage ?? {}));
  }
  const id = stanza.attrs.id ?? "";
  if (chat.messages.some((known) => known.id === id)) return;
  const text = textOf(content);
  const files = await filesIn(content, context);
  if (text === "" && files.length === 0) throw new Refused("400");
  chat.messages.push({
    id,
    author: "bot",
    text,
    raw: proto.Message.toObject(proto.Message.fromObject(content)),
    isEdited: false,
    fileNames: files.map(({ name }) => name),
    ...(files.length > 0 && { files }),
    notifies: content.extendedTextMessage?.contextInfo?.mentionedJid ?? [],
    at: world.clock.now(),
  });
}

function chatFor(to: string, world: PersonalWorld): Chat {
  const person = world.find(to);
  const chat = to.endsWith("@g.us") ? world.chats.get(to) : person && world.chatWith(person);
  if (chat === undefined) throw new Refused("404");
  if (!chat.hasAccount || chat.isForAdmins) throw new Refused("403");
  return chat;
}

/** Whoever cannot read it would see “Waiting for this message”: the emulator takes none that somebody cannot read. */
async function decryptForAll(
  stanza: BinaryNode,
  chat: Chat,
  from: string,
  world: PersonalWorld,
): Promise<proto.IMessage> {
  const forEach = new Map<Person, Encrypted>();
  for (const { attrs, content } of childrenOf(childOf(stanza, "participants"), "to")) {
    const person = world.find(attrs.jid ?? "");
    const enc = Array.isArray(content) ? content[0] : undefined;
    if (person && enc) forEach.set(person, encryptedIn(enc));
  }
  const isWithSelf = chat.members[0] === world.owner;
  const receivers = isWithSelf ? [world.owner] : [...chat.members, world.owner];
  const group = childOf(stanza, "enc");
  let read: proto.IMessage | null = null;
  for (const person of receivers) {
    const own = forEach.get(person);
    if (!own && !group) throw new Refused("479");
    const direct = own && (await person.phone.decrypt(from, own));
    const message = group ? await person.phone.decrypt(from, encryptedIn(group), chat.id) : direct;
    // The account's own phone is told what was sent, and where to.
    if (!group && person === world.owner) checkCopy(direct);
    read ??= message?.deviceSentMessage?.message ?? message ?? null;
  }
  if (read === null) throw new Refused("400");
  return read;
}

function checkCopy(message: proto.IMessage | undefined): void {
  if (!message?.deviceSentMessage?.destinationJid) throw new Refused("479");
}

function encryptedIn({ attrs, content }: BinaryNode): Encrypted {
  if (attrs.v !== "2" || !(content instanceof Uint8Array)) throw new Refused("400");
  return { type: attrs.type as Encrypted["type"], bytes: content };
}

/** Later, or of another's, a change is dropped without a word, as people's apps do. */
function edit(world: PersonalWorld, chat: Chat, id: string, text: string): void {
  const known = chat.messages.find((message) => message.id === id && message.author === "bot");
  if (!known || world.clock.now() - known.at > EDITABLE_MS) return;
  known.text = text;
  known.isEdited = true;
}

function textOf(content: proto.IMessage): string {
  const text = content.conversation ?? content.extendedTextMessage?.text ?? captionOf(content) ?? "";
  if (text.length > LONGEST_TEXT) throw new Refused("400");
  return plainText(text);
}

function captionOf({ documentMessage, imageMessage }: proto.IMessage): string | null | undefined {
  return documentMessage?.caption ?? imageMessage?.caption;
}

/** The files of a message, each read to the end: one that cannot be decrypted is none. Pictures have no names. */
async function filesIn(
  { documentMessage: document, imageMessage: picture }: proto.IMessage,
  { file }: SentMessageContext,
): Promise<EmulatedFile[]> {
  const sent = document ?? picture;
  if (!sent) return [];
  const body = file(sent.directPath ?? "");
  const mediaType = sent.mimetype ?? "";
  if (!body || !sent.mediaKey || mediaType === "" || Number(sent.fileLength ?? 0) === 0) throw new Refused("400");
  const { mediaKey, fileSha256 } = sent;
  const content = await decryptFile(body, { mediaKey, fileSha256 }, document ? "document" : "image");
  if (document) return [{ name: document.fileName ?? "file", mediaType, content }];
  if (sniffMediaType(content) !== mediaType) throw new Refused("400");
  return [{ name: `photo.${mediaType === "image/png" ? "png" : "jpg"}`, mediaType, content, isPicture: true }];
}
