import { CannotEmulate, type EmulatedPress } from "@hermes/emulator";
import type { Params } from "./params.ts";
import { badRequest } from "./refusal.ts";
import type { WireCallbackQuery, WireKeyboard } from "./wire.ts";
import type { ChatRecord, World } from "./world.ts";
import { personIn } from "./writing.ts";

/** Bytes of what a button carries ("InlineKeyboardButton"). */
const LONGEST_DATA = 64;

/** Characters of an answer to a press ("answerCallbackQuery"). */
const LONGEST_ANSWER = 200;

/** The buttons that a call puts below a message; none where it says nothing of them. */
export function keyboardIn(params: Params): WireKeyboard {
  const { inline_keyboard: rows } = params.object("reply_markup");
  if (rows === undefined) return [];
  const isKeyboard = Array.isArray(rows) && rows.every((row) => Array.isArray(row));
  if (!isKeyboard) throw badRequest('field "inline_keyboard" must be of type Array');
  for (const button of (rows as WireKeyboard).flat()) {
    const { text, callback_data: data, style } = button;
    if (typeof text !== "string" || text.trim() === "")
      throw badRequest("inline keyboard button text must be non-empty");
    if (typeof data !== "string") throw badRequest("text buttons are unallowed in the inline keyboard");
    const bytes = Buffer.byteLength(data);
    if (bytes < 1 || bytes > LONGEST_DATA) throw badRequest("BUTTON_DATA_INVALID");
    if (style !== undefined && !["danger", "success", "primary"].includes(style))
      throw badRequest("invalid button style");
  }
  return rows as WireKeyboard;
}

/** Presses a button as a person; the app waits until the bot has acknowledged it. */
export function press(world: World, chat: ChatRecord, { messageId, label, userId }: EmulatedPress): WireCallbackQuery {
  const message = chat.message(Number(messageId));
  if (message === undefined) throw new Error(`there is no message ${messageId}`);
  const button = message.keyboard?.flat().find(({ text }) => text === label);
  if (button === undefined) throw new CannotEmulate(`no button below ${messageId} is called ${label}`);
  const id = String(world.nextQueryId++);
  world.waitingPresses.add(id);
  return {
    id,
    from: personIn(chat, { userId }),
    chat_instance: String(chat.id),
    message: world.hidesContent ? { chat: chat.wire, message_id: message.id, date: 0 } : world.wire(chat, message),
    data: button.callback_data,
  };
}

export function answerCallbackQuery(world: World, params: Params): true {
  if (params.text("text").length > LONGEST_ANSWER) throw badRequest("MESSAGE_TOO_LONG");
  if (!world.waitingPresses.delete(params.text("callback_query_id"))) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  return true;
}
