import { type Choice, type ChoiceLimits, type Clock, type Press, sleep } from "@hermes/core";
import type { CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup } from "grammy/types";
import type { Bot } from "./bot-api.ts";
import { toPlatformError } from "./errors.ts";
import { conversationIn, nameOf, topicOf } from "./source.ts";

/** Telegram publishes no limits. So many can be read on a phone, where a longer label would be cut. */
export const CHOICE_LIMITS: ChoiceLimits = { most: 20, labelLength: 40 };

/** UTF-16 units of labels that stand beside each other on a phone. */
const WIDEST_ROW = 24;

/** How often an acknowledgement is tried that does not get through. */
const MOST_ATTEMPTS = 3;

/** The choices as buttons: beside each other where they are short, else below each other. */
export function toKeyboard(choices: readonly Choice[]): InlineKeyboardMarkup {
  const buttons = choices.map(
    ({ id, label, style }): InlineKeyboardButton => ({
      text: label,
      callback_data: id,
      ...(style === "plain" ? {} : { style }),
    }),
  );
  const isNarrow = choices.reduce((sum, { label }) => sum + label.length, 0) <= WIDEST_ROW;
  return { inline_keyboard: isNarrow ? [buttons] : buttons.map((button) => [button]) };
}

/**
 * The press of a button; null where nobody can tell in which conversation it was made. Of a message that is too old
 * Telegram tells neither content nor topic ("InaccessibleMessage", whose date is 0).
 */
export function decodePress({ from, message, data }: CallbackQuery, { me, chatIds, options }: Bot): Press | null {
  // Whoever forwards a question is not who was asked.
  if (message === undefined || data === undefined || message.forward_origin) return null;
  const { chat, message_id: number, date } = message;
  const isPrivate = chat.type === "private";
  const mayBeInTopic = isPrivate ? me.has_topics_enabled : chat.is_forum;
  if (date === 0 && mayBeInTopic) return null;
  const chatId = String(chat.id);
  return {
    conversation: conversationIn({ id: chatIds.current(chatId), isPrivate }, topicOf(message), options.account),
    messageId: chatIds.messageId(chatId, number),
    choiceId: data,
    sender: { id: String(from.id), name: nameOf(from), isBot: from.is_bot },
  };
}

/**
 * Ends the waiting that the app shows on a pressed button ("answerCallbackQuery"). Where Telegram refuses, the press is
 * so old that nothing waits any more.
 */
export async function acknowledge({ api, logger }: Bot, queryId: string, clock: Clock): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await api.answerCallbackQuery(queryId);
      return;
    } catch (thrown) {
      const { message: reason, retryable, retryAfterMs } = toPlatformError(thrown);
      logger.debug({ reason }, "a press could not be acknowledged");
      if (!retryable || attempt === MOST_ATTEMPTS) return;
      await sleep(clock, retryAfterMs ?? 1_000);
    }
  }
}
