import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { type PlatformError, reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import type { Redactor } from "../base/redact.ts";
import { storedError } from "../base/without-secrets.ts";
import { HandoffWatcher } from "../handoff/watcher.ts";
import type { PlatformAdapter } from "../platform/adapter.ts";
import { type Conversation, chatOf, type HomeChannel, onAccount } from "../platform/conversation.ts";
import type { InboundMessage } from "../platform/message.ts";
import type { PlatformOptions } from "../plugin/platform-options.ts";
import type { Store } from "../session/store.ts";
import type { TurnRunner } from "../session/turn-runner.ts";
import type { HandOffFrom } from "./conversation-place.ts";
import { Converse, type Home } from "./converse.ts";
import { Delivery } from "./delivery.ts";
import { presentTurn } from "./present-turn.ts";
import { RefusalTeller } from "./tell-refusals.ts";

export interface ServedAccountDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: Holder;
  readonly agent: Agent;
  readonly runner: TurnRunner;
  readonly redact: Redactor;
  readonly adapter: PlatformAdapter;
  readonly options: PlatformOptions;
  /** Handoffs to the platform go to this one of its accounts. */
  readonly takesHandoffs: boolean;
  /** What is said of the home channel changed. */
  readonly onChange: () => Promise<void>;
  readonly handOff: HandOffFrom | null;
}

/** A platform that could not be asked for the home channel is asked again after 5 s, 10 s … and every five minutes. */
const FIRST_ASK_MS = 5_000;
const LAST_ASK_MS = 300_000;

/** Everything that works on one platform account while its adapter is up: messages in, messages out, handoffs. */
export class ServedAccount implements AsyncDisposable {
  readonly #deps: ServedAccountDeps;
  readonly #delivery: Delivery;
  readonly #converse: Converse;
  readonly #watcher: HandoffWatcher | null;
  readonly #teller: RefusalTeller | null;
  #home: Home | null;
  /** Why the home channel cannot be used; null when it can, or there is none. */
  #homeProblem: string | null = null;
  #asking: Disposable | null = null;

  private constructor(deps: ServedAccountDeps, channel: HomeChannel | null) {
    const { adapter, options } = deps;
    this.#deps = deps;
    this.#home = channel && { channel, conversation: null };
    const parts = { ...deps, platform: adapter.platform, account: options.account };
    this.#delivery = new Delivery({ ...parts, home: () => this.#home?.channel ?? null });
    this.#converse = new Converse({
      ...deps,
      delivery: this.#delivery,
      home: () => this.#home,
      setHome: (conversation, name) => this.#setHome(conversation, name),
    });
    this.#teller = adapter.capabilities.mirrors ? new RefusalTeller({ ...parts, home: () => this.#home }) : null;
    const presentation = { ...deps, delivery: this.#delivery };
    this.#watcher = !deps.takesHandoffs
      ? null
      : new HandoffWatcher({
          ...parts,
          home: () => this.#home?.channel ?? null,
          atHead: (key, work) => this.#converse.atHead(key, work),
          present: (at) => presentTurn(presentation, at),
        });
  }

  /** To be called when the adapter is up. What an earlier process left undone is taken up at once. */
  static async open(deps: ServedAccountDeps): Promise<ServedAccount> {
    const { store, adapter, options } = deps;
    const channel = options.homeChannel ?? (await store.bindings.home(adapter.platform, options.account));
    const served = new ServedAccount(deps, channel);
    await served.#resolveHome(FIRST_ASK_MS);
    await served.#converse.resume();
    return served;
  }

  /** Asks the platform what the home channel is, so that a wrong one shows at once; and again while it does not say. */
  async #resolveHome(askAgainMs: number): Promise<void> {
    const home = this.#home;
    if (home === null || home.conversation !== null) return;
    const { adapter, options, clock, logger, onChange } = this.#deps;
    try {
      const conversation = onAccount(await adapter.homeConversation(home.channel), options.account);
      // /sethome may have chosen another one meanwhile. The config may name the chat by an alias; messages carry its id.
      // It may name a thread by the thread's id alone, which is no chat to open others in.
      const channel = { ...home.channel, chatId: conversation.chatId, threadId: conversation.threadId };
      if (this.#home === home) this.#home = { channel, conversation };
      this.#homeProblem = null;
    } catch (error) {
      this.#homeProblem = `The home channel cannot be reached: ${reasonOf(error)}.`;
      logger.warn({ platform: adapter.platform, error }, "the home channel cannot be reached");
      this.#asking = clock.setTimer(askAgainMs, () => void this.#resolveHome(Math.min(askAgainMs * 2, LAST_ASK_MS)));
    }
    await onChange();
  }

  get home(): Home | null {
    return this.#home;
  }

  get homeProblem(): string | null {
    return this.#homeProblem;
  }

  receive(message: InboundMessage): Promise<void> {
    return this.#converse.receive(message);
  }

  /** The platform's late word on a message it had taken. */
  async settle(messageId: string, refusal: PlatformError | null, at?: Conversation): Promise<void> {
    const { store, adapter, options, redact } = this.#deps;
    const stored = refusal && storedError(refusal, redact);
    const chat = at && onAccount(chatOf(at), options.account);
    await store.outbox.settleLate(adapter.platform, options.account, messageId, stored, chat);
  }

  /** Lets what runs come to its end, for a while. */
  drain(patienceMs: number): Promise<void> {
    return this.#converse.drain(patienceMs);
  }

  async #setHome(conversation: Conversation, name: string | undefined): Promise<string> {
    const { store, options, adapter, onChange } = this.#deps;
    if (options.homeChannel) {
      const { chatId, name: known } = options.homeChannel;
      return `The home channel of ${adapter.platform} is ${known ?? chatId}, as the config or the plugin has it, and that wins over /sethome. Set \`homeChannel\` in the config to change it.`;
    }
    const shared = conversation.kind === "dm" ? undefined : true;
    const { chatId, threadId } = conversation;
    const channel: HomeChannel = { chatId, threadId, name, shared };
    await store.bindings.setHome(adapter.platform, options.account, channel);
    this.#home = { channel, conversation };
    this.#homeProblem = null;
    // Whoever reads that it is home now may hand off at once.
    await onChange();
    const audience = shared ? " Everybody here will read what is handed off." : "";
    const isNow = `is the home channel of ${adapter.platform} now: sessions are handed off to it.${audience}`;
    return threadId === undefined
      ? `This chat ${isNow}`
      : `This thread ${isNow} \`/sethome chat\` takes the whole chat.`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#asking?.[Symbol.dispose]();
    this.#teller?.[Symbol.dispose]();
    await this.#watcher?.[Symbol.asyncDispose]();
    await this.#converse[Symbol.asyncDispose]();
    await this.#delivery[Symbol.asyncDispose]();
  }
}
