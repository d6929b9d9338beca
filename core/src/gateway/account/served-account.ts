import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf, type HomeChannel, onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage, Sender } from "../../adapter/message.ts";
import type { Agent } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import type { PlatformError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { Redactor } from "../../base/redact.ts";
import { storedError } from "../../base/without-secrets.ts";
import { HandoffWatcher } from "../../handoff/watcher.ts";
import type { PlatformOptions } from "../../plugin/platform-options.ts";
import type { Store } from "../../store/store.ts";
import type { TurnRunner } from "../../turn/turn-runner.ts";
import type { HandOffFrom } from "../inbound/conversation-place.ts";
import { Converse, type Home } from "../inbound/converse.ts";
import { Delivery } from "../outbound/delivery.ts";
import { presentTurn } from "../outbound/present-turn.ts";
import { RefusalTeller } from "../outbound/tell-refusals.ts";
import { HomeWatch } from "./home-watch.ts";
import type { KnownIdentities } from "./known-identities.ts";

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
  readonly identities: KnownIdentities;
  /** Handoffs to the platform go to this one of its accounts. */
  readonly takesHandoffs: boolean;
  /** What is said of the home channel changed. */
  readonly onChange: () => Promise<void>;
  readonly handOff: HandOffFrom | null;
}

/** Everything that works on one platform account while its adapter is up: messages in, messages out, handoffs. */
export class ServedAccount implements AsyncDisposable {
  readonly #deps: ServedAccountDeps;
  readonly #delivery: Delivery;
  readonly #converse: Converse;
  readonly #watcher: HandoffWatcher | null;
  readonly #teller: RefusalTeller | null;
  readonly #homeWatch: HomeWatch;

  private constructor(deps: ServedAccountDeps, homeWatch: HomeWatch) {
    const { adapter, options } = deps;
    this.#deps = deps;
    this.#homeWatch = homeWatch;
    const parts = { ...deps, platform: adapter.platform, account: options.account };
    const home = () => homeWatch.home?.channel ?? null;
    this.#delivery = new Delivery({ ...parts, home });
    this.#converse = new Converse({
      ...deps,
      delivery: this.#delivery,
      homeWatch,
      setHome: (conversation, name, sender) => this.#setHome(conversation, name, sender),
    });
    this.#teller = adapter.capabilities.mirrors ? new RefusalTeller({ ...parts, home: () => homeWatch.home }) : null;
    const presentation = { ...deps, delivery: this.#delivery };
    this.#watcher = !deps.takesHandoffs
      ? null
      : new HandoffWatcher({
          ...parts,
          home,
          checkHome: () => homeWatch.check(),
          atHead: (key, work) => this.#converse.atHead(key, work),
          present: (at) => presentTurn(presentation, at),
        });
  }

  /** To be called when the adapter is up. What an earlier process left undone is taken up at once. */
  static async open(deps: ServedAccountDeps): Promise<ServedAccount> {
    const homeWatch = new HomeWatch(deps);
    const served = new ServedAccount(deps, homeWatch);
    await homeWatch.open();
    await served.#converse.resume();
    return served;
  }

  get home(): Home | null {
    return this.#homeWatch.home;
  }

  get homeProblem(): string | null {
    return this.#homeWatch.problem;
  }

  get isHomeRecovering(): boolean {
    return this.#homeWatch.isRecovering;
  }

  get homeNotice(): string | null {
    return this.#homeWatch.notice;
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

  async #setHome(conversation: Conversation, name: string | undefined, sender: Sender): Promise<string> {
    const { options, adapter, onChange } = this.#deps;
    if (options.homeChannel) {
      const { chatId, name: known } = options.homeChannel;
      return `The home channel of ${adapter.platform} is ${known ?? chatId}, as the config or the plugin has it, and that wins over /sethome. Set \`homeChannel\` in the config to change it.`;
    }
    const shared = conversation.kind === "dm" ? undefined : true;
    const { chatId, threadId } = conversation;
    const channel: HomeChannel = { chatId, threadId, name, shared };
    await this.#homeWatch.set(channel, conversation, sender);
    // Whoever reads that it is home now may hand off at once.
    await onChange();
    const audience = shared ? " Everybody here will read what is handed off." : "";
    const isNow = `is the home channel of ${adapter.platform} now: sessions are handed off to it.${audience}`;
    return threadId === undefined
      ? `This chat ${isNow}`
      : `This thread ${isNow} \`/sethome chat\` takes the whole chat.`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#homeWatch[Symbol.dispose]();
    this.#teller?.[Symbol.dispose]();
    await this.#watcher?.[Symbol.asyncDispose]();
    await this.#converse[Symbol.asyncDispose]();
    await this.#delivery[Symbol.asyncDispose]();
  }
}
