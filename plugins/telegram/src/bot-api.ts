import { Api, type ApiClientOptions } from "grammy";
import type { ChatIds } from "./chat-ids.ts";
import { migratedTo, toPlatformError } from "./errors.ts";
import { toWireId } from "./source.ts";

/** A call without an answer is given up after this, in seconds; longer than a poll is held back. */
const TIMEOUT_SECONDS = 60;

/** Telegram's client for one bot. */
export function createApi({ token, apiRoot }: { readonly token: string; readonly apiRoot: string }): Api {
  const options: ApiClientOptions = { apiRoot, timeoutSeconds: TIMEOUT_SECONDS };
  return new Api(token, options);
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
  chatIds: ChatIds,
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
