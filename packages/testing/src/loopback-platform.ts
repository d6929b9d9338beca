import type {
  AdapterEvents,
  Capabilities,
  Choice,
  ChoiceLimits,
  Conversation,
  InboundMessage,
  PlatformAdapter,
  PluginDeps,
  PluginDescriptor,
  Press,
} from "@hermes/core";
import { definePlugin, PLAIN_TEXT_ONLY, systemClock } from "@hermes/core";
import type { EmulatedFile } from "@hermes/emulator";
import { LoopbackAdapter } from "./loopback-adapter.ts";
import { conversationAt, type LoopbackThread } from "./loopback-chats.ts";
import { pluginDeps } from "./plugin-deps.ts";

/** The bot's own id. */
export const OWN_ID = "hermes";

/** A message that was sent to the loopback platform. */
export interface LoopbackMessage {
  readonly id: string;
  readonly chatId: string;
  readonly threadId: string | undefined;
  readonly key: string;
  text: string;
  /** The people whom it notifies. */
  readonly notifies?: readonly string[];
  /** The choices below it. */
  choices?: readonly Choice[];
  /** The files that came with it. */
  readonly files?: readonly EmulatedFile[];
}

export type LoopbackCall =
  | "send"
  | "edit"
  | "createHandoffThread"
  | "deleteThread"
  | "homeConversation"
  | "start"
  | "typing"
  | "readNow";

/**
 * A platform in memory, for tests of the gateway: it outlives the adapters that use it, like a real one. Its chat
 * `home` is private; all others are groups.
 */
export class LoopbackPlatform {
  readonly messages: LoopbackMessage[] = [];
  readonly threads: LoopbackThread[] = [];
  /** Threads that begin with their first message, by their ids. */
  readonly announced = new Map<string, LoopbackThread>();
  readonly typing: Conversation[] = [];
  /** People's messages, oldest first, for adapters that were away; null if the platform keeps no history. */
  history: InboundMessage[] | null = null;
  /** Who is in the private chat `home`, apart from the bot. */
  people: readonly string[] = ["person"];
  /** The same of other private chats; of those that are not in it, nothing is said. */
  readonly peopleIn = new Map<string, readonly string[]>();
  /** Whether nobody else can come into it. */
  arePeopleFixed = false;
  /** The numbers of people, which may pass to somebody else. */
  readonly numbers = new Map<string, string>();
  capabilities: Capabilities = {
    ...PLAIN_TEXT_ONLY,
    threads: true,
    edits: { minIntervalMs: 100 },
    idempotentSend: true,
  };
  /** The limits of choices; undefined if the platform has no choices. */
  choices: ChoiceLimits | undefined = { most: 4, labelLength: 20 };
  /** The abilities that its adapters lack. */
  lacks: readonly ("findThread" | "findSent" | "deleteThread" | "deleteMessage" | "peopleAt")[] = [];
  /** The ids of people's messages that the bot deleted. */
  readonly deleted = new Set<string>();
  /** How people's messages read by now, by their ids: null for one that was deleted while nobody listened. */
  readonly changed = new Map<string, InboundMessage | null>();
  /** The time of sent messages, in milliseconds since 1970. */
  now: () => number = () => 0;
  /** The time of people's messages that name none. */
  writtenAt: () => number = () => 0;
  /** The ids of messages that are too old to be edited. */
  readonly uneditable = new Set<string>();
  /** The id that the adapter considers its own. */
  ownId = OWN_ID;
  /** Whether `@everyone` in a text mentions everyone, unless the call says otherwise. */
  adapterMentions = false;
  /** What the host gave the adapter that was made last. */
  given: PluginDeps | null = null;
  /** The callbacks of started adapters. */
  readonly listening = new Set<AdapterEvents>();
  /** Resolves an id in a config to a chat, or to a thread if threads have ids of their own. */
  chatIdOf: (id: string) => { readonly chatId: string; readonly threadId?: string } = (chatId) => ({ chatId });
  /** Called before each call is carried out; a throw becomes its result. */
  onCall: (call: LoopbackCall, body: unknown) => Promise<void> = async () => {};
  /** Called after a send or an edit was carried out; a throw means that its answer is lost. */
  onSent: () => void = () => {};
  /** Called before it is told who is in a private chat; a throw becomes the result. */
  onPeopleAt: () => void = () => {};
  /** Called when an adapter has started to listen. */
  onListening: (events: AdapterEvents) => void = () => {};
  /** Called when an adapter was stopped. */
  onStopped: (events: AdapterEvents) => void = () => {};
  readonly #failures = new Map<LoopbackCall, (Error | "hang")[]>();
  #nextId = 1;

  /** Makes the next `times` calls of a kind fail, or never answer. */
  fail(call: LoopbackCall, error: Error | "hang", times = 1): void {
    this.#failures.set(call, [...(this.#failures.get(call) ?? []), ...Array<Error | "hang">(times).fill(error)]);
  }

  /** Writes as a person; resolves once every listening gateway has accepted the message. */
  async write(
    text: string,
    at: Partial<InboundMessage> & { chatId?: string; threadId?: string } = {},
  ): Promise<string> {
    const { chatId = "home", threadId, ...rest } = at;
    const messageId = rest.messageId ?? `in-${this.#nextId++}`;
    const message: InboundMessage = {
      conversation: conversationAt(chatId, threadId, this.threads),
      sender: { id: "person", name: "Ada" },
      sentAt: this.writtenAt(),
      text,
      ...rest,
      messageId,
    };
    await Promise.all([...this.listening].map((events) => events.receive(message)));
    return messageId;
  }

  /** Presses a choice as a person; resolves once every listening gateway has accepted it. */
  async press(messageId: string, choiceId: string, sender: Press["sender"] = { id: "person" }): Promise<void> {
    const message = this.messages.find(({ id }) => id === messageId);
    if (!message) throw new Error(`there is no message ${messageId}`);
    const conversation = conversationAt(message.chatId, message.threadId, this.threads);
    const press = { conversation, messageId, choiceId, sender };
    await Promise.all([...this.listening].map((events) => events.choose(press)));
  }

  /** The texts in a chat or thread, in order. */
  textsIn(chatId: string, threadId?: string): string[] {
    return this.messages
      .filter((message) => message.chatId === chatId && message.threadId === threadId)
      .map(({ text }) => text);
  }

  newId(prefix: string): string {
    return `${prefix}-${this.#nextId++}`;
  }

  async called(call: LoopbackCall, body: unknown = null): Promise<void> {
    await this.onCall(call, body);
    const failure = this.#failures.get(call)?.shift();
    if (failure === "hang") await new Promise(() => {});
    if (failure instanceof Error) throw failure;
  }

  /** The plugin as in a config. */
  plugin(options: Record<string, unknown> = { homeChannel: { chatId: "home", name: "Home" } }): PluginDescriptor {
    return definePlugin({
      package: "hermes-plugin-loopback",
      platform: "loopback",
      apiVersion: 2,
      schema: { "~standard": { version: 1, vendor: "hermes", validate: (value: unknown) => ({ value }) } },
      create: async (deps) => {
        this.given = deps;
        return new LoopbackAdapter(this, deps);
      },
    })(options);
  }

  /** Creates an adapter without a host. */
  newAdapter(): PlatformAdapter {
    return new LoopbackAdapter(this, pluginDeps({ options: {}, clock: systemClock, folder: "" }));
  }
}
