import { inject, Lifecycle, scoped } from "tsyringe";
import type { Clock } from "../../base/clock.ts";
import { Coalesced } from "../../base/coalesced.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import { regularly } from "../../base/regularly.ts";
import { CLOCK, HOLDER, LOGGER } from "../../base/tokens.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ACCOUNT, type Account } from "./account.ts";
import { HomeWatch } from "./home-watch.ts";

/** Milliseconds between two checks: the store may have been busy, or another gateway may have had the account meanwhile. */
const EVERY_MS = 5_000;

/**
 * Publishes who may do what on an account, for the processes that run its turns. It holds as long as the account's
 * lease.
 */
@scoped(Lifecycle.ContainerScoped)
export class GrantsPublisher implements Disposable {
  readonly #publishing = new Coalesced(() => this.#publish());
  #timer: Disposable | null = null;
  #isOver = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(HOLDER) readonly holder: Holder,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
  ) {}

  /** Publishes it now: at the start, and when the home channel changed. Never rejects. */
  publish(): Promise<void> {
    return this.#publishing.run();
  }

  async #publish(): Promise<void> {
    const { store, logger, holder } = this;
    const { platform, account, options } = this.account;
    const { operators, allowedUsers, allowedBots } = options;
    if (this.#isOver) return;
    this.#timer ??= regularly(this.clock, EVERY_MS, () => this.publish());
    try {
      const home = await this.homeWatch.privateChat();
      await store.grants.publish({ platform, account, operators, allowedUsers, allowedBots, home }, holder);
    } catch (error) {
      logger.warn({ platform, error }, "who may do what could not be published");
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }
}
