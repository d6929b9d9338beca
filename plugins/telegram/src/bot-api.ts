import type { CommandInfo, Logger, PluginDeps } from "@hermes/core";
import { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import { ChatIds } from "./chat-ids.ts";
import type { TelegramOptions } from "./config.ts";
import { migratedTo, toPlatformError } from "./errors.ts";
import { toWireId } from "./source.ts";

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

/** Asks Telegram who the bot is, and sees to it that updates can be polled. */
export async function openBot(deps: PluginDeps<TelegramOptions>, signal: AbortSignal): Promise<Bot> {
  const { options, commands, logger, folder } = deps;
  const api = new Api(options.token, { apiRoot: options.apiRoot, timeoutSeconds: TIMEOUT_SECONDS });
  const me = await api.getMe(toApiSignal(signal));
  // Nobody can poll while a webhook is set. What waits for it stays.
  await api.deleteWebhook({ drop_pending_updates: false }, toApiSignal(signal));
  return { api, me, chatIds: new ChatIds(folder), options, commands, logger };
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
  { chatIds }: Bot,
  chatId: string,
  call: (wireId: number | string) => Promise<T>,
  { mayBeDone = false }: InChatOptions = {},
): Promise<T> {
  try {
    return await call(toWireId(chatIds.wire(chatId)));
  } catch (error) {
    const newId = migratedTo(error);
    if (newId === null) throw toPlatformError(error, { mayBeDone });
    chatIds.note(chatId, newId);
  }
  try {
    return await call(toWireId(chatIds.wire(chatId)));
  } catch (error) {
    throw toPlatformError(error, { mayBeDone });
  }
}
