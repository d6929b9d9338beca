import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type EmulatedChat,
  type EmulatedMessage,
  type EmulatedPlace,
  type EmulatedPress,
  type EmulatedThread,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { BotApi } from "./bot-api.ts";
import { FAILURES } from "./failures.ts";
import { press } from "./keyboard.ts";
import { openTopic } from "./topics.ts";
import { UpdateQueue } from "./update-queue.ts";
import type { WireEntity, WireMessage } from "./wire.ts";
import { BOT, type BotRight, type BotStatus, ChatRecord, World } from "./world.ts";
import { FIRST_PERSON, type TelegramInbound, write } from "./writing.ts";

/** The only token that is accepted. */
const TOKEN = `${BOT.id}:emulated-token-of-no-account-00000000`;

/** The chats that are there from the start. */
export const CHATS = {
  private: "1001",
  group: "-2001",
  supergroup: "-1000000003001",
  forum: "-1000000003002",
  channel: "-1000000003003",
} as const;

/**
 * A Bot API server on this machine, with a handful of chats. It speaks to grammY as `api.telegram.org` does: updates by
 * long polling with offsets, refusals in the platform's own words, entities and lengths checked.
 */
export class TelegramEmulator extends EmulatorBase {
  readonly platform = "telegram";
  /** What the platform and the owner of the bot have set, for tests that need more than this class offers. */
  readonly world: World;
  readonly #updates: UpdateQueue;
  readonly #api: BotApi;

  private constructor({ clock }: EmulatorOptions) {
    super({ clock, failures: FAILURES, secrets: [TOKEN] });
    const { script, requests } = this;
    this.world = new World(standingChats(), this.clock);
    this.#updates = new UpdateQueue(script, this.clock);
    this.#api = new BotApi({ world: this.world, updates: this.#updates, script, requests, token: TOKEN });
  }

  static start(options: EmulatorOptions = {}): Promise<TelegramEmulator> {
    return new TelegramEmulator(options).listen(options);
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#api.answer(request, response);
  }

  get options(): { readonly token: string; readonly apiRoot: string } {
    return { token: TOKEN, apiRoot: this.url };
  }

  get chats(): readonly EmulatedChat[] {
    return [...this.world.chats.values()]
      .filter(({ type }) => type !== "channel")
      .map((chat) => ({
        id: String(chat.id),
        name: chat.name,
        kind: chat.type === "private" ? "dm" : "group",
        hasThreads: this.world.hasTopics(chat),
        label: chat.isForum ? "forum" : chat.type,
      }));
  }

  readonly people = [{ id: String(FIRST_PERSON.id), name: FIRST_PERSON.name }];

  get isConnected(): boolean {
    return this.#updates.isPolled;
  }

  messages(chatId: string, threadId?: string): readonly EmulatedMessage[] {
    const topicId = threadId === undefined ? undefined : Number(threadId);
    return this.#chat(chatId)
      .messages.filter((message) => message.topicId === topicId)
      .map(({ id, from, text, entities, keyboard = [], raw, isEdited, fileNames, files = [] }) => ({
        id: String(id),
        author: from.id === BOT.id ? "bot" : String(from.id),
        text,
        raw,
        isEdited,
        fileNames,
        ...(files.length > 0 ? { files } : {}),
        notifies: notifiedBy(entities),
        links: linksIn(text, entities),
        ...(keyboard.length > 0 ? { choices: keyboard.flat().map((button) => button.text) } : {}),
      }));
  }

  override threads(chatId: string): readonly EmulatedThread[] {
    return [...this.#chat(chatId).topics.values()].map(({ id, name }) => ({ id: String(id), name, isVisible: true }));
  }

  async receive(message: TelegramInbound): Promise<{ readonly messageId: string }> {
    const { id, seen } = write(this.world, message);
    if (seen !== null) this.#updates.push(message.editOf === undefined ? { message: seen } : { edited_message: seen });
    return { messageId: String(id) };
  }

  /** A story that somebody passes on. */
  sendUnreadable(at: EmulatedPlace): Promise<{ readonly messageId: string }> {
    return this.receive({ ...at, text: "", fields: { story: { id: 1, chat: { id: 1, type: "private" } } } });
  }

  async press(pressed: EmulatedPress): Promise<void> {
    this.#updates.push({ callback_query: press(this.world, this.#chat(pressed.chatId), pressed) });
  }

  override removeThread(chatId: string, threadId: string): void {
    this.#chat(chatId).removeTopic(Number(threadId));
  }

  /** Opens a topic as a person does. Returns its id. */
  openThread(chatId: string, name: string): string {
    return String(openTopic(this.#chat(chatId), name, false).id);
  }

  /** Closes a topic: nobody but those who manage topics can write in it. */
  closeThread(chatId: string, threadId: string): void {
    const topic = this.#chat(chatId).topics.get(Number(threadId));
    if (topic) topic.isClosed = true;
  }

  /** Whether a supergroup has topics, which its administrators set. */
  setForum(chatId: string, isOn: boolean): void {
    this.#chat(chatId).isForum = isOn;
  }

  /** Gives the bot a right in a chat, or takes it away. */
  setRight(chatId: string, right: BotRight, isGiven: boolean): void {
    const { rights } = this.#chat(chatId);
    if (isGiven) rights.add(right);
    else rights.delete(right);
  }

  /** Lets nobody but administrators write in a group, or everybody. */
  setMembersMayWrite(chatId: string, mayWrite: boolean): void {
    this.#chat(chatId).mayMembersWrite = mayWrite;
  }

  /** Makes the bot an administrator or a member of a group, or removes it; in a private chat `kicked` is blocked. */
  setBotStatus(chatId: string, status: BotStatus): void {
    this.#chat(chatId).botStatus = status;
  }

  /** Turns a group into a supergroup, which has another id. Returns that, and tells the bot as Telegram does. */
  upgradeGroup(chatId: string): string {
    const old = this.#chat(chatId);
    const id = -1_000_000_000_000 + old.id;
    const { name, botStatus } = old;
    const chat = new ChatRecord({ id, name, type: "supergroup", botStatus });
    this.world.chats.set(id, chat);
    const service = { from: { id: 1001, is_bot: false, first_name: "Ada" }, date: this.world.now() };
    const toNew: WireMessage = { message_id: old.newMessageId(), ...service, chat: old.wire, migrate_to_chat_id: id };
    const fromOld: WireMessage = {
      message_id: chat.newMessageId(),
      ...service,
      chat: chat.wire,
      migrate_from_chat_id: old.id,
    };
    old.migratedTo = id;
    this.#updates.push({ message: toNew });
    this.#updates.push({ message: fromOld });
    return String(id);
  }

  #chat(chatId: string): ChatRecord {
    const chat = this.world.chats.get(Number(chatId));
    if (chat === undefined) throw new Error(`there is no chat ${chatId}`);
    return chat;
  }
}

function standingChats(): ChatRecord[] {
  return [
    new ChatRecord({ id: Number(CHATS.private), name: "Ada", type: "private" }),
    new ChatRecord({ id: Number(CHATS.group), name: "A plain group", type: "group" }),
    new ChatRecord({ id: Number(CHATS.supergroup), name: "A supergroup", type: "supergroup" }),
    new ChatRecord({
      id: Number(CHATS.forum),
      name: "A forum",
      type: "supergroup",
      isForum: true,
      botStatus: "administrator",
    }),
    new ChatRecord({ id: Number(CHATS.channel), name: "A channel", type: "channel", botStatus: "administrator" }),
  ];
}

/** Whom a message notifies: people without a user name are mentioned by a link to their id ("Formatting options"). */
function notifiedBy(entities: readonly WireEntity[]): string[] {
  return entities.flatMap(({ type, url, user }) => {
    if (type === "text_mention") return [String(user?.id)];
    return type === "text_link" && url?.startsWith("tg://user") ? [url] : [];
  });
}

/** Addresses behind a text, and those that apps make links of by themselves, which they do not within code. */
function linksIn(text: string, entities: readonly WireEntity[]): string[] {
  const isCode = (at: number) =>
    entities.some(({ type, offset, length }) => /^(?:code|pre)$/.test(type) && offset <= at && at < offset + length);
  const bare = [...text.matchAll(/\b(?:https?:\/\/|(?:tg|ton|tonsite):)\S+/gi)].filter(({ index }) => !isCode(index));
  return [...entities.flatMap((entity) => ("url" in entity ? [String(entity.url)] : [])), ...bare.map(([url]) => url)];
}
