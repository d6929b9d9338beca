import { inject, Lifecycle, scoped } from "tsyringe";
import type { Clock } from "../base/clock.ts";
import { Coalesced } from "../base/coalesced.ts";
import { asHermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import { REDACTOR, type Redactor } from "../base/redact.ts";
import { regularly } from "../base/regularly.ts";
import { CLOCK, HOLDER, LOGGER } from "../base/tokens.ts";
import type { Handoff } from "../model/handoff.ts";
import type { IdentityScope } from "../model/identity.ts";
import { keepRenewed } from "../store/keep-renewed.ts";
import { STORE, type Store } from "../store/store.ts";
import { LEAVING, TURN_RUNNER, type TurnRunner } from "../turn/turn-runner.ts";
import { carryHandoff } from "./carry-handoff.ts";
import { DESTINATION, type Destination } from "./destination.ts";
import { removeLeftThreads } from "./left-threads.ts";
import { OpenedThreads } from "./opened-threads.ts";

/** Milliseconds until a claim expires without a renewal. */
const LEASE_MS = 15_000;

/** Milliseconds between two looks for abandoned handoffs; new requests wake the watcher at once. */
const RECLAIM_EVERY_MS = 5_000;

/**
 * Milliseconds until the first: what people wrote while no gateway ran comes before, and a thread in which they did stays.
 */
const REMOVE_AFTER_MS = 10_000;

/** Milliseconds between two attempts to remove what failed handoffs left behind. */
const REMOVE_EVERY_MS = 30_000;

/** Milliseconds within which a session that goes by itself has to be taken; whoever asks for it takes it at once. */
const AWAY_TTL_MS = 60_000;

/**
 * Claims the handoffs to one platform account and carries them out concurrently; asks for those of sessions that go there
 * by themselves. Only the gateway that holds the account's lease runs a watcher.
 */
@scoped(Lifecycle.ContainerScoped)
export class HandoffWatcher implements AsyncDisposable {
  readonly opened = new OpenedThreads();
  readonly #leaving = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  readonly #watching: Disposable;
  /** Set while a handoff, or a session that goes by itself, waits for what other writes may bring. */
  #watchingAll: Disposable | null = null;
  readonly #reclaiming: Disposable;
  #removing: Disposable;
  readonly #removes = new Coalesced(() => this.#removeLeft());
  readonly #looks = new Coalesced(() => this.#claimPending());

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(HOLDER) readonly holder: Holder,
    @inject(REDACTOR) readonly redact: Redactor,
    @inject(TURN_RUNNER) readonly runner: TurnRunner,
    @inject(DESTINATION) readonly destination: Destination,
  ) {
    this.#watching = store.watch(() => void this.#looks.run(), ["handoffs", "away"]);
    void this.#looks.run();
    void this.#reclaim();
    this.#reclaiming = regularly(clock, RECLAIM_EVERY_MS, () => {
      // The slow poll: a wake-up may have been missed.
      void this.#looks.run();
      return this.#reclaim();
    });
    this.#removing = clock.setTimer(REMOVE_AFTER_MS, () => {
      void this.#removes.run();
      this.#removing = regularly(clock, REMOVE_EVERY_MS, () => this.#removes.run());
    });
  }

  get #account(): IdentityScope {
    return { platform: this.destination.adapter.platform, account: this.destination.account };
  }

  /** Claims all pending handoffs. */
  async #claimPending(): Promise<void> {
    const { store, holder, logger } = this;
    if (this.#leaving.signal.aborted) return;
    try {
      await store.away.go(this.#account, holder, AWAY_TTL_MS);
      let isOneLeft = await store.away.isSet();
      for (const { id, waitsForTurn } of await store.handoffs.listPendingHandoffs(this.#account)) {
        if (waitsForTurn || !(await store.handoffs.claimHandoff(id, holder, LEASE_MS))) {
          isOneLeft = true;
          continue;
        }
        const claimed = await store.handoffs.get(id);
        if (claimed) this.#carry(claimed);
      }
      if (isOneLeft) this.#watchAll();
      else this.#watchFewer();
    } catch (error) {
      logger.warn({ error: asHermesError(error) }, "pending handoffs could not be read");
    }
  }

  /** Looks once more, because a write may have come just before. */
  #watchAll(): void {
    if (this.#watchingAll !== null || this.#leaving.signal.aborted) return;
    this.#watchingAll = this.store.watch(() => void this.#looks.run());
    void this.#looks.run();
  }

  #watchFewer(): void {
    this.#watchingAll?.[Symbol.dispose]();
    this.#watchingAll = null;
  }

  /** Takes over the running handoffs of holders that are gone. */
  async #reclaim(): Promise<void> {
    const { store, holder, logger } = this;
    try {
      for (const handoff of await store.handoffs.reclaimHandoffs(this.#account, holder, LEASE_MS)) this.#carry(handoff);
    } catch (error) {
      logger.warn({ error: asHermesError(error) }, "abandoned handoffs could not be read");
    }
  }

  async #removeLeft(): Promise<void> {
    const { store, clock, destination, logger } = this;
    try {
      await removeLeftThreads({ store, clock, destination, logger, signal: this.#leaving.signal });
    } catch (error) {
      logger.warn({ error: asHermesError(error) }, "threads that failed handoffs left could not be read");
    }
  }

  #carry(handoff: Handoff): void {
    if (this.#running.has(handoff.id)) return;
    const lost = new AbortController();
    const renewing = this.#renew(handoff, lost);
    const carrying = carryHandoff(this, handoff, AbortSignal.any([this.#leaving.signal, lost.signal]))
      .catch((error: unknown) => {
        // The store failed during a step: the lease expires, and the next look resumes from the recorded step.
        this.logger.error({ handoff: handoff.id, error }, "a handoff was dropped");
      })
      .finally(() => {
        renewing[Symbol.dispose]();
        this.#running.delete(handoff.id);
      });
    this.#running.set(handoff.id, carrying);
  }

  #renew(handoff: Handoff, lost: AbortController): Disposable {
    const { store, clock, holder, logger } = this;
    return keepRenewed({
      clock,
      leaseMs: LEASE_MS,
      renew: () => store.handoffs.renewHandoff(handoff.id, holder, LEASE_MS),
      onLost: () => lost.abort(),
      onError: (error) => logger.warn({ handoff: handoff.id, error }, "a handoff's lease could not be renewed"),
    });
  }

  /** Lets running handoffs finish their step; another process resumes from what is recorded. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching[Symbol.dispose]();
    this.#watchFewer();
    this.#reclaiming[Symbol.dispose]();
    this.#removing[Symbol.dispose]();
    this.#leaving.abort(LEAVING);
    await Promise.allSettled([...this.#running.values(), this.#removes.idle()]);
  }
}
