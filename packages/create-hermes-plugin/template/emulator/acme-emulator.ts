import type { IncomingMessage, ServerResponse } from "node:http";
import {
  answerCall,
  CannotEmulate,
  clientOf,
  type EmulatedChat,
  type EmulatedInbound,
  type EmulatedMessage,
  // #if threads
  type EmulatedThread,
  // #end
  type EmulatorOptions,
  playable,
  readBody,
  refusals,
} from "@hermes/emulator";
import { type ApiCall, knownCall, play, REFUSALS, refusal } from "./calls.ts";
import { DeliveringEmulator, PLAYED } from "./delivering-emulator.polling.ts";
import { BOT, type Chat, PEOPLE, World } from "./world.ts";

/** The only token that is accepted. */
const TOKEN = "acme-emulated-token-1234";

/** Calls in the kit's words. */
const CALLS = ["connect", "home", "send", "edit", "createThread", "deleteThread"];

const SENTENCES = Object.fromEntries(Object.entries(REFUSALS).map(([code, [, message]]) => [code, message]));

/** A small Acme on this machine, for tests and for trying the plugin without an account. */
export class AcmeEmulator extends DeliveringEmulator {
  readonly platform = "acme";
  readonly people = PEOPLE;
  readonly #world = new World();

  private constructor({ clock }: EmulatorOptions) {
    const failures = [
      ...playable(
        ["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"],
        CALLS.filter((call) => call !== "connect"),
      ),
      ...playable(PLAYED.connect, ["connect"]),
      ...playable(PLAYED.deliver, ["deliver"]),
      ...refusals(SENTENCES, CALLS),
    ];
    super({ clock, failures, secrets: [TOKEN] });
  }

  static start(options: EmulatorOptions = {}): Promise<AcmeEmulator> {
    return new AcmeEmulator(options).listen(options);
  }

  get options() {
    return {
      token: TOKEN,
      url: this.url,
      // #if webhook
      webhook: { port: 0 },
      // #end
    };
  }

  get chats(): readonly EmulatedChat[] {
    return this.#world.chats.map(({ id, name, isPrivate, hasThreads }) => ({
      ...{ id, name, hasThreads },
      kind: isPrivate ? "dm" : "group",
      label: isPrivate ? "direct message" : "room",
    }));
  }

  messages(chatId: string, threadId?: string): readonly EmulatedMessage[] {
    return this.#chat(chatId)
      .messages.filter((message) => message.threadId === threadId)
      .map(({ id, from, text, raw, isEdited }) => ({
        ...{ id, text, raw, isEdited },
        author: from.id === BOT.id ? "bot" : from.id,
        fileNames: [],
        // Nothing in a text notifies anybody on Acme.
        notifies: [],
      }));
  }

  /** A person writes: the message is in the chat, and on its way to the bot. */
  async receive(written: EmulatedInbound): Promise<{ readonly messageId: string }> {
    if (written.files !== undefined) throw new CannotEmulate("Messages with files are not written yet");
    if (written.replyTo !== undefined) throw new CannotEmulate("Replies are not written yet");
    const chat = this.#chat(written.chatId);
    const message = written.editOf === undefined ? this.#write(chat, written) : this.#change(chat, written);
    const { id, name, isPrivate } = chat;
    const { raw: _, ...wire } = message;
    this.deliver({ ...wire, chat: { id, name, isPrivate } });
    return { messageId: message.id };
  }
  // #if threads

  override threads(chatId: string): readonly EmulatedThread[] {
    return this.#chat(chatId).threads.map((thread) => ({ ...thread, isVisible: true }));
  }

  override removeThread(chatId: string, threadId: string): void {
    const { threads } = this.#chat(chatId);
    threads.splice(
      threads.findIndex(({ id }) => id === threadId),
      1,
    );
  }
  // #end

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const path = pathname.split("/").filter(Boolean).map(decodeURIComponent);
    const { value } = await readBody(request);
    const call: ApiCall = {
      ...{ method: request.method ?? "GET", path, query: searchParams, url: this.url },
      body: Object(value),
      client: clientOf(response),
    };
    const known = this.deliveryCall(call) ?? knownCall(this.#world, () => this.clock.now(), call);
    const status = await answerCall(response, async () => {
      if (request.headers.authorization !== `Bearer ${TOKEN}`) throw refusal("unknown_token");
      return known === null ? response.writeHead(404).end() : play(known, this.script, call.client);
    });
    this.requests.add(known?.operation ?? pathname, call.body, status);
  }

  #chat(id: string): Chat {
    const chat = this.#world.chat(id);
    if (chat === undefined) throw new Error(`there is no chat ${id}`);
    return chat;
  }

  #write(chat: Chat, written: EmulatedInbound) {
    const { text, threadId, userId = "u-ada", isOwn = false, isBot = false, mentions = false, forwarded } = written;
    const name = written.userName ?? PEOPLE.find(({ id }) => id === userId)?.name ?? userId;
    const message = {
      id: this.#world.newId("m"),
      threadId,
      from: isOwn ? BOT : { id: userId, name, isBot },
      sentAt: this.clock.now(),
      mentions: mentions ? [BOT.id] : [],
      forwardedFrom: forwarded?.from,
      ...{ text, raw: null, isEdited: false },
    };
    // What the bot has sent is in the chat already; here it only comes back to it.
    if (!isOwn) chat.messages.push(message);
    return message;
  }

  #change(chat: Chat, { editOf, text }: EmulatedInbound) {
    const message = chat.messages.find(({ id }) => id === editOf);
    if (message === undefined) throw new Error(`there is no message ${editOf}`);
    return Object.assign(message, { text, isEdited: true });
  }
}
