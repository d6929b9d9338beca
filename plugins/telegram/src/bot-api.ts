import { type AdapterContext, type CommandInfo, type Logger, type PluginDeps, reasonOf } from "@hermes/core";
import { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import { ChatIds } from "./chat-ids.ts";
import type { TelegramOptions } from "./config.ts";
import { migratedTo, toPlatformError } from "./errors.ts";
import { conversationIn, toWireId } from "./source.ts";

/** A call without an answer is given up after this, in seconds; longer than a poll is held back. */
const TIMEOUT_SECONDS = 60;

/** The bot that Hermes speaks as. */
export interface Bot {
  readonly api: Api;
  readonly me: UserFromGetMe;
  readonly chatIds: ChatIds;
  readonly options: TelegramOptions;
  readonly commands: readonly CommandInfo[];
  readonly logger: Logger;
}

/** Looks up the bot, and removes its webhook so that updates can be polled. */
export async function openBot(
  deps: PluginDeps<TelegramOptions>,
  { signal, moved }: Pick<AdapterContext, "signal" | "moved">,
): Promise<Bot> {
  const { options, commands, logger, folder } = deps;
  const { token, apiRoot } = options;
  // grammY would follow a redirect, and say elsewhere what is said in a chat.
  const baseFetchConfig = { redirect: "error" } as const;
  const api = new Api(token, { apiRoot, timeoutSeconds: TIMEOUT_SECONDS, baseFetchConfig });
  const me = await api.getMe(toApiSignal(signal));
  // Nobody can poll while a webhook is set. What waits for it stays.
  await api.deleteWebhook({ drop_pending_updates: false }, toApiSignal(signal));
  const groupAt = (id: string) => conversationIn({ id, isPrivate: false }, undefined, options.account);
  const chatIds = new ChatIds(folder, (from, to) => moved(groupAt(from), groupAt(to)));
  const bot: Bot = { api, me, chatIds, options, commands, logger };
  inBackground(bot, chatIds.tellAgain());
  return bot;
}

/**
 * Hermes may ask for the home channel before it takes anything over, so nobody waits. It is told again at the next
 * start.
 */
function inBackground({ logger }: Bot, telling: Promise<void>): void {
  telling.catch((error: unknown) => {
    logger.warn({ reason: reasonOf(error) }, "a group's new id could not be recorded");
  });
}

/** The kind of signal that grammY's types name; at run time it takes any that tells of an abort. */
type ApiSignal = NonNullable<Parameters<Api["getMe"]>[0]>;

export function toApiSignal(signal: AbortSignal): ApiSignal {
  return signal as unknown as ApiSignal;
}

export interface InChatOptions {
  /** Whether an answer that is lost may mean that the call was done. */
  readonly mayBeDone?: boolean;
}

/**
 * Calls Telegram about a chat, by the id that it has there now. Throws a PlatformError. A group that has just become a
 * supergroup is called once more by its new id.
 */
export async function inChat<T>(
  bot: Bot,
  chatId: string,
  call: (wireId: number | string) => Promise<T>,
  { mayBeDone = false }: InChatOptions = {},
): Promise<T> {
  const { chatIds } = bot;
  try {
    return await call(toWireId(chatIds.current(chatId)));
  } catch (error) {
    const newId = migratedTo(error);
    if (newId === null) throw toPlatformError(error, { mayBeDone });
    inBackground(bot, chatIds.note(chatId, newId));
  }
  try {
    return await call(toWireId(chatIds.current(chatId)));
  } catch (error) {
    throw toPlatformError(error, { mayBeDone });
  }
}
