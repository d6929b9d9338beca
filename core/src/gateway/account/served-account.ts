import type { DependencyContainer } from "tsyringe";
import type { Conversation } from "../../adapter/conversation.ts";
import { DESTINATION } from "../../handoff/destination.ts";
import { HandoffWatcher } from "../../handoff/watcher.ts";
import type { UnreachablePlace } from "../../model/gateway-row.ts";
import { Inbound } from "../inbound/inbound.ts";
import { Intake } from "../inbound/intake.ts";
import { SeenSessions } from "../inbound/seen-sessions.ts";
import { Delivery } from "../outbound/delivery.ts";
import { LiveMirror } from "../outbound/live-mirror.ts";
import { Reminders } from "../outbound/reminders.ts";
import { HistoryOfSessions } from "../outbound/session-history.ts";
import { RefusalTeller } from "../outbound/tell-refusals.ts";
import { ADAPTER } from "./account.ts";
import { GrantsPublisher } from "./grants-publisher.ts";
import { HandoffDestination } from "./handoff-destination.ts";
import { HomeWatch } from "./home-watch.ts";
import { KnownPlaces } from "./known-places.ts";

/** Runs all services of one platform account while its adapter is up: inbound, outbound and handoffs. */
export class ServedAccount implements AsyncDisposable {
  readonly intake: Intake;
  readonly inbound: Inbound;
  readonly sessions: SeenSessions;
  readonly homeWatch: HomeWatch;
  readonly history: HistoryOfSessions;
  readonly #grants: GrantsPublisher;
  readonly #places: KnownPlaces;
  readonly #delivery: Delivery;
  readonly #watcher: HandoffWatcher;
  readonly #teller: RefusalTeller | null;
  readonly #reminders: Reminders;
  readonly #live: LiveMirror | null;

  private constructor(container: DependencyContainer) {
    container.register(DESTINATION, { useClass: HandoffDestination });
    this.homeWatch = container.resolve(HomeWatch);
    this.#grants = container.resolve(GrantsPublisher);
    this.#places = container.resolve(KnownPlaces);
    this.homeWatch.onHome = async () => {
      await this.#grants.publish();
      await this.#places.noteHome(this.homeWatch.home);
    };
    this.#delivery = container.resolve(Delivery);
    this.intake = container.resolve(Intake);
    this.history = container.resolve(HistoryOfSessions);
    this.inbound = container.resolve(Inbound);
    this.sessions = container.resolve(SeenSessions);
    this.#teller = container.resolve(ADAPTER).capabilities.mirrors ? container.resolve(RefusalTeller) : null;
    this.#reminders = container.resolve(Reminders);
    this.#live = container.resolve(ADAPTER).watched ? container.resolve(LiveMirror) : null;
    this.#watcher = container.resolve(HandoffWatcher);
  }

  /**
   * Makes what serves the account, in the account's own container, which has its {@link ACCOUNT} and the {@link ADAPTER}
   * that is up. What an earlier process left undone is taken up at once.
   */
  static async open(container: DependencyContainer): Promise<ServedAccount> {
    const served = new ServedAccount(container);
    try {
      await served.homeWatch.open();
      await served.#grants.publish();
      void served.#places.open();
      await served.inbound.resume();
    } catch (error) {
      // The plugin is started again: there must not be two of each, one with an adapter that has stopped.
      await served[Symbol.asyncDispose]();
      throw error;
    }
    return served;
  }

  /** The places of the config that cannot be reached. */
  get unreachable(): readonly UnreachablePlace[] {
    return this.#places.unreachable;
  }

  /** The platform gave a chat another id. */
  async moved(from: Conversation, to: Conversation): Promise<void> {
    await this.intake.moved(from, to);
    // What waited there waits in other lanes now.
    await this.inbound.resume();
  }

  /** Stops in order: claims nothing new, waits for running answers, then sends them. What fails keeps nothing from it. */
  async [Symbol.asyncDispose](): Promise<void> {
    // The last of them is stopped first.
    await using _delivery = this.#delivery;
    using _grants = this.#grants;
    await using _inbound = this.inbound;
    await using _watcher = this.#watcher;
    await using _live = this.#live;
    using _reminders = this.#reminders;
    using _teller = this.#teller;
    using _places = this.#places;
    using _homeWatch = this.homeWatch;
  }
}
