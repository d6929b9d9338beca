import { askApi } from "@hermes/core";
// Types alone: the library itself is not loaded.
import type { UserFromGetMe } from "grammy/types";
import type { TelegramOptions } from "./config.ts";
import { fromRefusal, isRefusal, type Refusal, unavailable } from "./errors.ts";
import { PLATFORM, toWireId } from "./source.ts";

/** Methods of the Bot API that change nothing, by `fetch`. Throws PlatformErrors, in which the token does not stand. */
export class BotApiReader {
  readonly #options: Pick<TelegramOptions, "apiRoot" | "token">;
  readonly #signal: AbortSignal;

  constructor(options: Pick<TelegramOptions, "apiRoot" | "token">, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** The bot; null where the token is not accepted: refused, or of a form that Telegram does not route. */
  async me(): Promise<UserFromGetMe | null> {
    const answer = await this.#ask<UserFromGetMe>("getMe", {});
    if (answer.ok) return answer.result;
    if (answer.error_code === 401 || answer.error_code === 404) return null;
    throw fromRefusal(answer);
  }

  async call<T>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const answer = await this.#ask<T>(method, params);
    if (!answer.ok) throw fromRefusal(answer);
    return answer.result;
  }

  /** The same about a chat. A group that has become a supergroup is asked for once more by its new id. */
  async inChat<T>(method: string, chatId: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const answer = await this.#ask<T>(method, { ...params, chat_id: toWireId(chatId) });
    if (answer.ok) return answer.result;
    const newId = answer.parameters?.migrate_to_chat_id;
    if (newId === undefined) throw fromRefusal(answer);
    return this.call(method, { ...params, chat_id: newId });
  }

  async #ask<T>(method: string, params: Readonly<Record<string, unknown>>): Promise<Answer<T>> {
    const { apiRoot, token } = this.#options;
    const { body } = await askApi(PLATFORM, `${apiRoot}/bot${token}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
      signal: this.#signal,
    });
    if (!isAnswer<T>(body)) throw unavailable("what answered is no Bot API");
    return body;
  }
}

type Answer<T> = { readonly ok: true; readonly result: T } | ({ readonly ok: false } & Refusal);

function isAnswer<T>(body: unknown): body is Answer<T> {
  const { ok, result } = Object(body) as Partial<Record<string, unknown>>;
  return ok === true ? result !== undefined : isRefusal(body);
}
