import type { DependencyContainer } from "tsyringe";
import { type Conversation, chatOf, onAccount } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { PlatformError } from "../../base/errors.ts";
import { REDACTOR, type Redactor } from "../../base/redact.ts";
import { storedError } from "../../base/without-secrets.ts";
import { DESTINATION } from "../../handoff/destination.ts";
import { HandoffWatcher } from "../../handoff/watcher.ts";
import { STORE, type Store } from "../../store/store.ts";
import { Inbound } from "../inbound/inbound.ts";
import { Delivery } from "../outbound/delivery.ts";
import { RefusalTeller } from "../outbound/tell-refusals.ts";
import { ACCOUNT, type Account, ADAPTER } from "./account.ts";
import { HandoffDestination } from "./handoff-destination.ts";
import { HomeWatch } from "./home-watch.ts";

function laneAt(conversation: Conversation) {
  return { key: buildSessionKey(conversation), conversation };
}

/** Runs all services of one platform account while its adapter is up: inbound, outbound and handoffs. */
export class ServedAccount implements AsyncDisposable {
  readonly inbound: Inbound;
  readonly homeWatch: HomeWatch;
  readonly #store: Store;
  readonly #redact: Redactor;
  readonly #account: Account;
  readonly #delivery: Delivery;
  readonly #watcher: HandoffWatcher | null;
  readonly #teller: RefusalTeller | null;

  private constructor(container: DependencyContainer) {
    container.register(DESTINATION, { useClass: HandoffDestination });
    this.#store = container.resolve(STORE);
    this.#redact = container.resolve(REDACTOR);
    this.#account = container.resolve(ACCOUNT);
    this.homeWatch = container.resolve(HomeWatch);
    this.#delivery = container.resolve(Delivery);
    this.inbound = container.resolve(Inbound);
    this.#teller = container.resolve(ADAPTER).capabilities.mirrors ? container.resolve(RefusalTeller) : null;
    this.#watcher = this.#account.takesHandoffs ? container.resolve(HandoffWatcher) : null;
  }

  /**
   * Makes what serves the account, in the account's own container, which has its {@link ACCOUNT} and the {@link ADAPTER}
   * that is up. What an earlier process left undone is taken up at once.
   */
  static async open(container: DependencyContainer): Promise<ServedAccount> {
    const served = new ServedAccount(container);
    await served.homeWatch.open();
    await served.inbound.resume();
    return served;
  }

  /** The platform gave a chat another id. */
  async moved(from: Conversation, to: Conversation): Promise<void> {
    const { account } = this.#account;
    const [former, now] = [from, to].map((at) => onAccount(chatOf(at), account)) as [Conversation, Conversation];
    await this.#store.bindings.moveChat(laneAt(former), laneAt(now));
    await this.homeWatch.chatMoved(former, now);
    // What waited there waits in other lanes now.
    await this.inbound.resume();
  }

  /** Records the delivery status that the platform reported for a message it had accepted. */
  async settle(messageId: string, refusal: PlatformError | null, at?: Conversation): Promise<void> {
    const { platform, account } = this.#account;
    const stored = refusal && storedError(refusal, this.#redact);
    await this.#store.outbox.settleLate(platform, account, messageId, stored, at && onAccount(chatOf(at), account));
  }

  /** Stops in order: claims nothing new, waits for running answers, then sends them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.homeWatch[Symbol.dispose]();
    this.#teller?.[Symbol.dispose]();
    await this.#watcher?.[Symbol.asyncDispose]();
    await this.inbound[Symbol.asyncDispose]();
    await this.#delivery[Symbol.asyncDispose]();
  }
}
