import type { UploadedFile } from "@hermes/emulator";
import { keyboardIn } from "./keyboard.ts";
import type { Params } from "./params.ts";
import { badRequest } from "./refusal.ts";
import { targetOf } from "./topics.ts";
import type { WireEntity, WireMessage } from "./wire.ts";
import { BOT, type ChatRecord, type StoredMessage, type World } from "./world.ts";

const ACTIONS = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_document",
  "choose_sticker",
  "find_location",
]);

export function sendMessage(world: World, params: Params): WireMessage {
  const chat = writableChat(world, params);
  const text = params.text("text");
  const entities = params.entities("entities");
  checkText(text, entities, params.text("parse_mode"));
  return post(world, chat, { text, entities, params, file: undefined });
}

export function sendDocument(world: World, params: Params): WireMessage {
  const chat = writableChat(world, params);
  const file = params.file("document");
  if (file === undefined) throw badRequest("there is no document in the request");
  const text = params.text("caption");
  const entities = params.entities("caption_entities");
  checkCaption(text, entities, params.text("parse_mode"));
  return post(world, chat, { text, entities, params, file });
}

/** "sendPhoto": up to 10 MB, width and height of 10,000 together at most, and of a ratio of 20 at most. */
export function sendPhoto(world: World, params: Params): WireMessage {
  const chat = writableChat(world, params);
  const file = params.file("photo");
  if (file === undefined) throw badRequest("there is no photo in the request");
  if (file.content.length > LARGEST_PHOTO) throw badRequest("PHOTO_SAVE_FILE_INVALID");
  const [width, height] = sidesOf(file.content);
  const ratio = Math.max(width, height) / Math.max(1, Math.min(width, height));
  if (width + height > 10_000 || ratio > 20) throw badRequest("PHOTO_INVALID_DIMENSIONS");
  const text = params.text("caption");
  const entities = params.entities("caption_entities");
  checkCaption(text, entities, params.text("parse_mode"));
  return post(world, chat, { text, entities, params, file, isPicture: true });
}

const LARGEST_PHOTO = 10 * 1024 ** 2;

/** Width and height of a PNG; of a JPEG they are taken for small. */
function sidesOf(content: Buffer): readonly [number, number] {
  if (content.subarray(0, 2).equals(Buffer.from([0xff, 0xd8]))) return [1, 1];
  if (content.toString("latin1", 1, 4) !== "PNG" || content.length < 24) throw badRequest("IMAGE_PROCESS_FAILED");
  return [content.readUInt32BE(16), content.readUInt32BE(20)];
}

export function editMessageText(world: World, params: Params): WireMessage {
  const chat = writableChat(world, params);
  const message = chat.message(params.number("message_id"));
  if (message === undefined) throw badRequest("message to edit not found");
  if (message.from.id !== BOT.id) throw badRequest("message can't be edited");
  const text = params.text("text");
  const entities = params.entities("entities");
  checkText(text, entities, params.text("parse_mode"));
  const keyboard = keyboardIn(params);
  const shown = ({ text, entities, keyboard = [] }: Pick<StoredMessage, "text" | "entities" | "keyboard">) =>
    JSON.stringify([text, entities, keyboard]);
  if (shown({ text, entities, keyboard }) === shown(message)) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  Object.assign(message, { text, entities, keyboard, raw: params.values, isEdited: true });
  return { ...world.wire(chat, message), edit_date: world.now() };
}

export function deleteMessage(world: World, params: Params): true {
  const chat = writableChat(world, params);
  const at = chat.messages.findIndex(({ id }) => id === params.number("message_id"));
  const message = chat.messages[at];
  if (message === undefined) throw badRequest("message to delete not found");
  if (message.from.id !== BOT.id && !world.may(chat, "can_delete_messages")) {
    throw badRequest("message can't be deleted");
  }
  chat.messages.splice(at, 1);
  return true;
}

export function sendChatAction(world: World, params: Params): true {
  const chat = writableChat(world, params);
  targetOf(world, chat, params);
  if (!ACTIONS.has(params.text("action"))) throw badRequest("wrong parameter action in request");
  return true;
}

function writableChat(world: World, params: Params): ChatRecord {
  const chat = world.chat(params.chatId());
  world.checkMember(chat);
  const isMuted = chat.botStatus === "member" && !chat.mayMembersWrite;
  if (isMuted || !chat.rights.has("can_send_messages")) {
    throw badRequest("not enough rights to send text messages to the chat");
  }
  return chat;
}

function post(
  world: World,
  chat: ChatRecord,
  said: {
    readonly text: string;
    readonly entities: readonly WireEntity[];
    readonly params: Params;
    readonly file: UploadedFile | undefined;
    readonly isPicture?: boolean;
  },
): WireMessage {
  const message: StoredMessage = {
    id: 0,
    from: BOT,
    date: world.now(),
    topicId: targetOf(world, chat, said.params),
    replyTo: undefined,
    text: said.text,
    entities: said.entities,
    keyboard: keyboardIn(said.params),
    raw: said.params.values,
    isEdited: false,
    fileNames: said.file ? [said.file.name] : [],
    files: said.file ? [{ ...said.file, isPicture: said.isPicture ?? false }] : [],
  };
  const stored = { ...message, id: chat.newMessageId() };
  chat.messages.push(stored);
  return world.wire(chat, stored);
}

/** UTF-16 units of a message's text, and of the text beside a file ("sendMessage", "sendDocument"). */
const LONGEST_TEXT = 4096;
const LONGEST_CAPTION = 1024;

/** Throws the platform's refusal of a text that cannot be a message. */
function checkText(text: string, entities: readonly WireEntity[], parseMode: string): void {
  if (text.trim() === "") throw badRequest("message text is empty");
  if (text.length > LONGEST_TEXT) throw badRequest("message is too long");
  checkEntities(text, entities, parseMode);
}

function checkCaption(caption: string, entities: readonly WireEntity[], parseMode: string): void {
  if (caption.length > LONGEST_CAPTION) throw badRequest("message caption is too long");
  checkEntities(caption, entities, parseMode);
}

/** Hermes sends entities, so the emulator reads no markup. */
function checkEntities(text: string, entities: readonly WireEntity[], parseMode: string): void {
  if (parseMode !== "") throw badRequest("unsupported parse_mode");
  for (const { type, offset, length, url } of entities) {
    const isWithin = Number.isInteger(offset) && Number.isInteger(length) && offset >= 0 && length > 0;
    if (!isWithin || offset + length > text.length) {
      throw badRequest(
        `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${text.length}`,
      );
    }
    if (isInsidePair(text, offset) || isInsidePair(text, offset + length)) {
      throw badRequest(`entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol`);
    }
    if (type === "text_link" && !url) throw badRequest('can\'t parse entities: field "url" must be of type String');
  }
}

function isInsidePair(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
}
