import {
  type AdapterEvents,
  type AdapterHealth,
  type Capabilities,
  CatchUp,
  type Choice,
  type ChoiceLimits,
  type Conversation,
  filePieces,
  type HandoffThread,
  type HomeChannel,
  type InboundMessage,
  type OutboundMessage,
  oneLine,
  type PeopleAt,
  type Piece,
  PlatformAdapter,
  PlatformError,
  type PluginDeps,
  type SendOptions,
  type SendReceipt,
  type ThreadOptions,
} from "@hermes/core";
import { sizeOf, splitText } from "@hermes/core/markdown";
import { CHAT_NAMES, CHATS, conversationAt, entryOf, historyOf, threadAt, withPerson } from "./loopback-chats.ts";
import type { LoopbackMessage, LoopbackPlatform } from "./loopback-platform.ts";

/** The adapter of the loopback platform. */
export class LoopbackAdapter extends PlatformAdapter {
  override readonly platform = "loopback";
  readonly #at: LoopbackPlatform;
  readonly #deps: PluginDeps;
  #events: AdapterEvents | null = null;
  #catchUp: CatchUp | null = null;

  constructor(at: LoopbackPlatform, deps: PluginDeps) {
    super();
    this.#at = at;
    this.#deps = deps;
    // Members for capabilities that are not claimed are missing.
    if (at.capabilities.edits === false) this.edit = undefined;
    for (const ability of at.lacks) {
      if (ability === "peopleAt") this.peopleAt = super.peopleAt;
      else this[ability] = undefined;
    }
  }

  override get choices(): ChoiceLimits | undefined {
    return this.#at.choices;
  }

  override get capabilities(): Capabilities {
    return this.#at.capabilities;
  }

  override async start(events: AdapterEvents): Promise<void> {
    await this.#at.called("start");
    const { history } = this.#at;
    const others = { ...events, receive: (message: InboundMessage) => this.#receive(events, message) };
    this.#events = history === null ? others : this.#catchingUp(others, history);
    this.#at.listening.add(this.#events);
    this.#catchUp?.connected();
    this.#at.onListening(this.#events);
  }

  #catchingUp(events: AdapterEvents, messages: readonly InboundMessage[]): AdapterEvents {
    const { folder, clock, logger } = this.#deps;
    const receive = (message: InboundMessage) => events.receive(message);
    const catchUp = new CatchUp({ folder, clock, logger, receive, history: historyOf(messages) });
    this.#catchUp = catchUp;
    catchUp.belongTo("loopback");
    catchUp.lost();
    const takeBeside = (place: string, id: string, report: () => Promise<void>) =>
      catchUp.takeBeside({ place, id, decode: () => report().then(() => null) });
    return {
      ...events,
      retracted: (at, id, by) => takeBeside(at.chatId, id, () => events.retracted(at, id, by)),
      // Who presses waits for nobody else.
      choose: (press) => takeBeside(press.sender.id, press.messageId, () => events.choose(press)),
      receive: (message) => (message.isEdit ? catchUp.takeBeside(entryOf(message)) : catchUp.take(entryOf(message))),
    };
  }

  async #receive(events: AdapterEvents, message: InboundMessage): Promise<void> {
    if (message.sender.id === this.#at.ownId) return;
    await events.receive(await withPerson(message, this.#at.numbers, this.#deps.identities));
  }

  override async stop(): Promise<void> {
    this.#catchUp?.stop();
    if (!this.#events) return;
    this.#at.listening.delete(this.#events);
    this.#at.onStopped(this.#events);
  }

  override health(): AdapterHealth {
    const isListening = this.#events !== null && this.#at.listening.has(this.#events);
    return isListening ? { state: "up" } : { state: "degraded", detail: "Not receiving: the connection is lost." };
  }

  override render({ markdown, choices, files = [] }: OutboundMessage): Piece[] {
    const pieces = splitText(markdown, this.capabilities.textLimit).map((text): Piece => ({ text }));
    const last = pieces.pop() ?? { text: "" };
    const said = [...pieces, choices ? { ...last, extra: { choices } } : last].filter(({ text }) => text !== "");
    return this.capabilities.files === false ? said : [...said, ...filePieces(files)];
  }

  override async send(to: Conversation, piece: Piece, { key, content }: SendOptions): Promise<SendReceipt> {
    await this.#at.called("send", { chatId: to.chatId, text: piece.text });
    const { length, unit } = this.capabilities.textLimit;
    if (sizeOf(piece.text, unit) > length) throw refused("PLATFORM_REJECTED", "the message is too long");
    if (to.threadId && !this.#at.threads.some(({ id }) => id === to.threadId) && !this.#begin(to.threadId, to)) {
      throw new PlatformError("PLATFORM_THREAD_GONE", { platform: this.platform });
    }
    const known = this.capabilities.idempotentSend
      ? this.#at.messages.find((message) => message.key === key)
      : undefined;
    const message = known ?? {
      id: this.#at.newId("m"),
      chatId: to.chatId,
      threadId: to.threadId,
      key,
      text: piece.text,
      ...choicesOf(piece),
      ...filesOf(piece, content),
      notifies: this.#at.adapterMentions ? (piece.text.match(/@everyone/g) ?? []) : [],
    };
    if (!known) this.#at.messages.push(message);
    this.#at.onSent();
    return this.#receiptOf(message);
  }

  override edit? = async (_at: Conversation, messageId: string, piece: Piece): Promise<SendReceipt> => {
    await this.#at.called("edit", { messageId, text: piece.text });
    const message = this.#at.messages.find(({ id }) => id === messageId);
    if (!message) throw refused("PLATFORM_NOT_FOUND", `there is no message ${messageId}`);
    if (this.#at.uneditable.has(messageId)) throw refused("PLATFORM_REJECTED", "the message is too old to be edited");
    message.text = piece.text;
    message.choices = choicesOf(piece).choices ?? [];
    this.#at.onSent();
    return this.#receiptOf(message);
  };

  override findSent? = async (_to: Conversation, key: string): Promise<SendReceipt | null> => {
    const message = this.#at.messages.find((one) => one.key === key);
    return message ? this.#receiptOf(message) : null;
  };

  override async readNow({ messageId }: InboundMessage): Promise<InboundMessage | null | undefined> {
    await this.#at.called("readNow", { messageId });
    return this.#at.changed.get(messageId);
  }

  override findThread? = async (_home: HomeChannel, mark: string): Promise<HandoffThread | null> => {
    const thread = this.#at.threads.find((one) => one.mark === mark);
    return thread ? threadAt(thread) : null;
  };

  override deleteThread? = async ({ conversation }: HandoffThread): Promise<void> => {
    await this.#at.called("deleteThread", { threadId: conversation.threadId });
    const at = this.#at.threads.findIndex(({ id }) => id === conversation.threadId);
    if (at >= 0) this.#at.threads.splice(at, 1);
  };

  override typing? = async (at: Conversation): Promise<void> => {
    await this.#at.called("typing", { chatId: at.chatId });
    this.#at.typing.push(at);
  };

  override deleteMessage? = async (_at: Conversation, messageId: string): Promise<void> => {
    this.#at.deleted.add(messageId);
  };

  override async chatName({ chatId }: Conversation): Promise<string | undefined> {
    return CHAT_NAMES.get(chatId);
  }

  /** Begins a thread with a message, where that is how they begin. */
  #begin(id: string, { chatId }: Conversation): boolean {
    if (this.capabilities.threads !== "begun-by-message") return false;
    this.#at.threads.push(this.#at.announced.get(id) ?? { id, chatId, name: id, mark: "" });
    return true;
  }

  #receiptOf({ id }: LoopbackMessage): SendReceipt {
    return { messageId: id, sentAt: this.#at.now() };
  }

  override async homeConversation(home: HomeChannel): Promise<Conversation> {
    await this.#at.called("homeConversation", home);
    // People may name a chat by its alias, as they may on some platforms; messages carry its id.
    const { chatId, threadId = home.threadId } = this.#at.chatIdOf(home.chatId.replace(/^#/, ""));
    // Whoever writes has a private chat.
    if (!CHATS.includes(chatId) && !chatId.startsWith("dm-"))
      throw refused("PLATFORM_NOT_FOUND", `there is no chat ${chatId}`);
    return conversationAt(chatId, threadId, this.#at.threads);
  }

  override async peopleAt(home: Conversation): Promise<PeopleAt> {
    const { people, peopleIn, arePeopleFixed: isFixed } = this.#at;
    this.#at.onPeopleAt();
    if (home.kind !== "dm") return { ids: [], isFixed };
    return { ids: home.chatId === "home" ? people : (peopleIn.get(home.chatId) ?? []), isFixed };
  }

  override async createHandoffThread(
    chatId: string,
    name: string,
    { mark }: ThreadOptions,
  ): Promise<HandoffThread | null> {
    await this.#at.called("createHandoffThread", { chatId, name });
    if (!this.capabilities.threads) return null;
    const thread = { id: this.#at.newId("t"), chatId, name: oneLine(name) || "Session", mark };
    if (this.capabilities.threads === "begun-by-message") this.#at.announced.set(thread.id, thread);
    else this.#at.threads.push(thread);
    return threadAt(thread);
  }
}

/** The platform keeps its own copy of what is uploaded. */
function filesOf({ file }: Piece, content: Uint8Array | undefined): Pick<LoopbackMessage, "files"> {
  if (file === undefined || content === undefined) return {};
  return { files: [{ name: file.name, mediaType: file.mediaType, content: Uint8Array.from(content) }] };
}

function choicesOf({ extra }: Piece): { readonly choices?: readonly Choice[] } {
  return extra?.choices === undefined ? {} : { choices: extra.choices as readonly Choice[] };
}

function refused(code: "PLATFORM_NOT_FOUND" | "PLATFORM_REJECTED", reason: string): PlatformError {
  return new PlatformError(code, { platform: "loopback", reason, hint: "Look at what was sent." });
}
