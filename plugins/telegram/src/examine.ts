import { askApi, type Examination, Findings, type HomeChannel, type PluginSetupContext, shortName } from "@hermes/core";
// Types alone: the library itself is not loaded.
import type { ChatFullInfo, ChatMember, UserFromGetMe, WebhookInfo } from "grammy/types";
import { ChatIds } from "./chat-ids.ts";
import type { TelegramOptions } from "./config.ts";
import { fromRefusal, isRefusal, MANAGE_TOPICS, type Refusal, THREADED_MODE, TOPICS, unavailable } from "./errors.ts";
import { nameOf, PLATFORM, refusalToPost, toWireId } from "./source.ts";

/**
 * Looks the bot and its home channel over by methods of the Bot API that only read. `getUpdates` is none of them: it would
 * end the poll of a gateway that runs.
 */
export async function examine(options: TelegramOptions, { folder, signal }: PluginSetupContext): Promise<Examination> {
  const found = new Findings();
  const api = new BotApiReader(options, signal);
  await found.during(async () => {
    const me = await api.me();
    if (me === null) {
      found.problem(
        "Telegram does not accept the token.",
        "Copy it again, in @BotFather: /mybots, the bot, API Token.",
      );
      return;
    }
    found.account = { id: String(me.id), name: `@${me.username}`, link: `https://t.me/${me.username}` };
    found.ok(`Telegram accepts the token: the bot is @${me.username}.`);
    await examineWebhook(api, found);
    const { homeChannel: home } = options;
    if (home === undefined) return checkThreadedMode(me, found);
    const look = new HomeLook(api, me, options, found);
    await found.during(() =>
      look.examine({ ...home, chatId: new ChatIds(folder, async () => {}).current(home.chatId) }),
    );
  });
  return found.toExamination();
}

/**
 * Nobody can poll while a webhook is set. A gateway takes it away when it starts, and the other program gets nothing
 * then.
 */
async function examineWebhook(api: BotApiReader, found: Findings): Promise<void> {
  const { url } = await api.call<WebhookInfo>("getWebhookInfo");
  if (!url) return;
  found.warning(
    "A webhook is set for the bot: another program receives its messages, and Hermes cannot poll for them.",
    "A gateway takes the webhook away when it starts; if the other program is still needed, make Hermes a bot of its own.",
  );
}

/** A setting of the bot's owner ("User", `has_topics_enabled`). */
function checkThreadedMode(me: UserFromGetMe, found: Findings): void {
  if (me.has_topics_enabled) found.ok("Threaded Mode is on: a handoff into a private chat opens a topic.");
  else found.warning("Threaded Mode is off: a handoff into a private chat lands in the chat itself.", THREADED_MODE);
}

/** Looks at the chat in which handoffs land. */
class HomeLook {
  readonly #api: BotApiReader;
  readonly #me: UserFromGetMe;
  readonly #options: TelegramOptions;
  readonly #found: Findings;

  constructor(api: BotApiReader, me: UserFromGetMe, options: TelegramOptions, found: Findings) {
    this.#api = api;
    this.#me = me;
    this.#options = options;
    this.#found = found;
  }

  async examine(home: HomeChannel): Promise<void> {
    const chat = await this.#api.inChat<ChatFullInfo>("getChat", home.chatId);
    if (chat.type === "private") {
      this.#found.ok(`The home channel is the private chat with ${shortName(nameOf(chat))}.`);
      if (home.threadId === undefined) checkThreadedMode(this.#me, this.#found);
    } else if (chat.type === "channel") {
      this.#found.problem(
        `The home channel "${shortName(nameOf(chat))}" is a channel, which cannot be talked in.`,
        "Take a group, or the private chat with the bot.",
      );
    } else {
      await this.#examineGroup(chat, home);
    }
  }

  async #examineGroup(chat: ChatFullInfo, home: HomeChannel): Promise<void> {
    const name = shortName(nameOf(chat));
    const own = await this.#api.inChat<ChatMember>("getChatMember", String(chat.id), { user_id: this.#me.id });
    const refusal = refusalToPost(own, chat);
    if (refusal !== null) {
      this.#found.problem(`The bot ${refusal.reason} "${name}", the home channel.`, refusal.hint);
      if (own.status === "left" || own.status === "kicked") return;
    } else {
      this.#found.ok(
        `The home channel is the ${chat.is_forum ? "forum" : "group"} "${name}", and the bot may write there.`,
      );
    }
    if (home.threadId === undefined) this.#checkTopics(own, chat, home);
    this.#checkHearing(own);
    await this.#examineReaders(chat, home);
  }

  /** `can_manage_topics` is a right of administrators for a bot ("createForumTopic"), whatever members may do. */
  #checkTopics(own: ChatMember, chat: ChatFullInfo, home: HomeChannel): void {
    // Without a thread nothing is handed off at all where the config requires one.
    const state = home.requireThread ? "problem" : "warning";
    const where = home.requireThread ? "no handoff can land" : "a handoff lands in the group itself";
    if (!chat.is_forum) {
      this.#found[state](`The group "${shortName(nameOf(chat))}" has no topics: ${where}.`, TOPICS);
    } else if (!canManageTopics(own)) {
      const message = `The bot may not open topics in "${shortName(nameOf(chat))}": ${where}.`;
      this.#found[state](message, `Make it an administrator with "Manage Topics". ${MANAGE_TOPICS}`);
    } else {
      this.#found.ok("The bot may open topics there.");
    }
  }

  /** Privacy mode keeps from a bot what is not for it, unless it is an administrator. */
  #checkHearing({ status }: ChatMember): void {
    if (this.#me.can_read_all_group_messages || status === "administrator" || status === "creator") return;
    this.#found.warning(
      "Privacy mode hides from the bot what does not mention it in the group.",
      "Make the bot an administrator of the group, or turn privacy mode off in @BotFather (/setprivacy) and add it again.",
    );
  }

  /** Telegram tells a bot how many are in a group, and not who. */
  async #examineReaders(chat: ChatFullInfo, { shared }: HomeChannel): Promise<void> {
    const count = await this.#api.inChat<number>("getChatMemberCount", String(chat.id));
    const readers = `${count} ${count === 1 ? "member" : "members"}`;
    if (shared) this.#found.ok(`It has ${readers}, who read what is handed off there.`);
    else {
      const message = `The home channel is a group: its ${readers} would read each session that is handed off.`;
      this.#found.problem(message, "If that is intended, set `shared: true` on it.");
    }
    const { allowedUsers, operators } = this.#options;
    if (allowedUsers.length > 0 || operators.length > 0) return;
    this.#found.warning(
      "Telegram does not tell who is in a group, and the config names nobody: nobody is answered there.",
      "Name the people by their numbers in `allowedUsers` or `operators`.",
    );
  }
}

function canManageTopics(own: ChatMember): boolean {
  return own.status === "creator" || (own.status === "administrator" && own.can_manage_topics === true);
}

/** Methods of the Bot API that change nothing, by `fetch`. Throws PlatformErrors, in which the token does not stand. */
class BotApiReader {
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
    if (!isAnswer<T>(body)) throw unavailable("the server that answered is not a Bot API");
    return body;
  }
}

type Answer<T> = { readonly ok: true; readonly result: T } | ({ readonly ok: false } & Refusal);

function isAnswer<T>(body: unknown): body is Answer<T> {
  const { ok, result } = Object(body) as Partial<Record<string, unknown>>;
  return ok === true ? result !== undefined : isRefusal(body);
}
