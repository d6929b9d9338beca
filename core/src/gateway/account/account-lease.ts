import { inject, Lifecycle, scoped } from "tsyringe";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import { regularly } from "../../base/regularly.ts";
import { CLOCK, HOLDER, LOGGER } from "../../base/tokens.ts";
import { STORE, type Store } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import { ACCOUNT, type Account } from "./account.ts";

/** Milliseconds until the lease expires without a renewal. */
const LEASE_MS = 15_000;

/** Competes for the lease of a platform account: one gateway serves the account, the others stand by. */
@scoped(Lifecycle.ContainerScoped)
export class AccountLease implements AsyncDisposable {
  /** This process serves the account from now on. */
  onGained: () => Promise<void> = async () => {};
  /** Another process does, or this one ends. */
  onLost: () => Promise<void> = async () => {};
  /** This process still serves it; called with each renewal. */
  onRenewed: () => void = () => {};
  readonly #name: string;
  #isHeld = false;
  #standsBy = false;
  /** When it was last claimed; nobody else can have it until the lease expires, counted from then. */
  #askedAt = { wall: 0, steady: Number.NEGATIVE_INFINITY };
  #timer: Disposable | null = null;
  #isOver = false;
  #asking: Promise<void> = Promise.resolve();
  /** Taking an account up may last longer than a lease, which is renewed meanwhile. */
  #changing: Promise<void> = Promise.resolve();

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(HOLDER) readonly holder: Holder,
    @inject(ACCOUNT) { platform, account }: Account,
  ) {
    this.#name = accountLease(platform, account);
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether another process holds it; false before the first claim. */
  get standsBy(): boolean {
    return this.#standsBy;
  }

  /** Resolves when the lease was asked for once, and what follows from the answer is done. */
  async start(): Promise<void> {
    await this.#ask();
    if (!this.#isOver) this.#timer = regularly(this.clock, LEASE_MS / 3, () => this.#ask());
    await this.#changing;
  }

  /**
   * False when another process may have taken the lease while this one slept. The store is asked only where its time
   * may be up, so this may be called for every message.
   */
  async isStillHeld(): Promise<boolean> {
    if (this.#isHeld && this.#mayBeOver()) await this.#renew();
    return this.#isHeld && !this.#mayBeOver();
  }

  /** Other processes of this machine count on its steady clock, those of others on wall time. */
  #mayBeOver(): boolean {
    const { wall, steady } = this.#askedAt;
    return this.clock.steady().ms >= steady + LEASE_MS || this.clock.now() >= wall + LEASE_MS;
  }

  #ask(): Promise<void> {
    this.#asking = this.#renew();
    return this.#asking;
  }

  async #renew(): Promise<void> {
    const { store, clock, logger, holder, onGained, onLost } = this;
    try {
      const askedAt = { wall: clock.now(), steady: clock.steady().ms };
      const isOurs = await store.leases.acquire(this.#name, holder, LEASE_MS);
      // Nobody would stop what is started for it now.
      if (this.#isOver && !this.#isHeld) {
        if (isOurs) await store.leases.release(this.#name, holder);
        return;
      }
      this.#askedAt = askedAt;
      this.#standsBy = !isOurs;
      if (isOurs && this.#isHeld) this.onRenewed();
      if (isOurs !== this.#isHeld) {
        this.#isHeld = isOurs;
        this.#changing = this.#changing
          .then(isOurs ? onGained : onLost)
          .catch((error: unknown) => logger.error({ lease: this.#name, error }, "an account could not change hands"));
      }
    } catch (error) {
      logger.warn({ lease: this.#name, error }, "an account lease could not be asked for");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    await this.#asking;
    await this.#changing;
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await this.onLost();
    await this.store.leases.release(this.#name, this.holder);
  }
}
