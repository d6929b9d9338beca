import {
  type AdapterContext,
  type InboundMessage,
  OrderedIntake,
  type PluginDeps,
  type Press,
  type ReceiveFailure,
  type ReceiveRound,
  untilAborted,
} from "@hermes/core";
import type { Update } from "grammy/types";
import { type Bot, toApiSignal } from "./bot-api.ts";
import { acknowledge, decodePress } from "./choices.ts";
import { isRefusal, toPlatformError } from "./errors.ts";
import { decode } from "./inbound.ts";

/** The long-poll timeout, in seconds. */
const LONG_POLL_SECONDS = 30;

const ALLOWED_UPDATES = ["message", "edited_message", "callback_query"] as const;

/** How long after its timeout a poll without an answer is given up, in milliseconds: a connection can die silently. */
const PATIENCE_MS = 10_000;

/** The wait after a conflict with another program, in milliseconds: two pollers end each other's polls. */
const CONFLICT_RETRY_MS = 5_000;

/** The timeout of the last confirmation on stop, in milliseconds. */
const CONFIRMED_WITHIN_MS = 2_000;

/**
 * Receives updates by long polling ("Getting updates"). An update is confirmed by the offset of the next poll, once it
 * and all before it are kept. Telegram keeps the offset: updates that a crash leaves unconfirmed are replayed
 * with the same message ids. So this is no `keepPolling`, whose kept cursor would be a second one beside Telegram's.
 * Resolves when updates are received, or another program is in the way of that.
 */
export async function receiveUpdates(
  bot: Bot,
  { clock, logger }: PluginDeps,
  { receive, choose, keepReceiving, onStop }: AdapterContext,
): Promise<void> {
  const { api } = bot;
  const intake = new OrderedIntake<InboundMessage | Press>({
    receive: (event) => ("choiceId" in event ? choose(event) : receive(event)),
    clock,
    logger,
  });
  /** The first update that is not confirmed; undefined when Telegram knows it already. */
  let offset: number | undefined;

  const poll = async (timeout: number, until: AbortSignal): Promise<Update[]> => {
    const deadline = new AbortController();
    using _timer = clock.setTimer(timeout * 1_000 + PATIENCE_MS, () => deadline.abort());
    const signal = toApiSignal(AbortSignal.any([until, deadline.signal]));
    const asked = { limit: 100, timeout, allowed_updates: ALLOWED_UPDATES } as const;
    return await api.getUpdates({ ...asked, ...(offset === undefined ? {} : { offset }) }, signal);
  };
  const read = async (update: Update) => {
    if (update.callback_query) return decodePress(update.callback_query, bot);
    const message = await decode(update, bot);
    if (message) {
      const { conversation, sender } = message;
      logger.debug({ chat: conversation.chatId, thread: conversation.threadId, sender: sender.id }, "a message came");
    }
    return message;
  };
  const take = async (update: Update) => {
    const place = placeOf(update);
    await intake.take(place, { place, id: String(update.update_id), decode: () => read(update) });
    // Nothing waits for it: a message that comes meanwhile is to be kept.
    if (update.callback_query) void acknowledge(bot, update.callback_query.id, clock);
  };
  const round = async ({ signal, isFirst, received }: ReceiveRound) => {
    const updates = await poll(isFirst ? 0 : LONG_POLL_SECONDS, signal);
    // Without an offset from here on: after a week of silence Telegram may count anew from a lower number.
    offset = undefined;
    received();
    await untilAborted(Promise.all(updates.map(take)), signal);
    const last = updates.at(-1);
    if (last) offset = last.update_id + 1;
  };
  /** One more poll tells Telegram what was kept last, so that the next process does not get it again. */
  const confirm = async () => {
    if (offset === undefined) return;
    const signal = toApiSignal(AbortSignal.timeout(CONFIRMED_WITHIN_MS));
    await api.getUpdates({ offset, limit: 1, timeout: 0 }, signal).catch((error: unknown) => {
      logger.debug({ reason: toPlatformError(error).message }, "what was received last could not be confirmed");
    });
  };

  onStop(confirm);
  onStop(() => intake.stop());
  await keepReceiving(round, { judge: (thrown, usual) => judge(bot, thrown, usual) });
}

/** Another program that receives for the bot does not keep it from sending. */
async function judge({ api }: Bot, thrown: unknown, usual: ReceiveFailure): Promise<ReceiveFailure> {
  if (!isRefusal(thrown) || thrown.error_code !== 409) return usual;
  const isWebhook = thrown.description.includes("webhook");
  // It would keep every poll from succeeding.
  if (isWebhook) await api.deleteWebhook().catch(() => {});
  const detail = isWebhook
    ? "Not receiving: a webhook is set for this bot. It is removed, and polling tried again."
    : "Not receiving: another program polls with this bot's token. Stop it, or give one of the two a bot of its own.";
  const health = { state: "degraded", detail } as const;
  return { ...usual, health, waitMs: Math.max(usual.waitMs, CONFLICT_RETRY_MS), mayStart: true };
}

function placeOf({ message, edited_message: edited, callback_query: query }: Update): string {
  const at = message ?? edited ?? query?.message;
  // Outside of forums a thread is only a row of replies in the one conversation of the chat.
  return `${at?.chat.id} ${at?.is_topic_message ? at.message_thread_id : ""}`;
}
