import type { Clock } from "../base/clock.ts";
import { Coalesced } from "../base/coalesced.ts";
import { asHermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import type { Store } from "../store/store.ts";

export interface HeartbeatDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: Holder;
  readonly configPath: string | null;
  readonly configChanged: () => boolean;
  readonly platforms: () => readonly ServedPlatform[];
  /** Called when the store was replaced, so that this gateway has nothing left to serve. */
  readonly onStoreLost: () => void;
}

/** Heartbeat interval in milliseconds. A gateway that misses three counts as dead. */
const EVERY_MS = 5_000;

/** Records in the store that this gateway is alive, and the health of its platforms. */
export class Heartbeat implements AsyncDisposable {
  readonly #deps: HeartbeatDeps;
  readonly #startedAt: number;
  #timer: Disposable | null = null;
  readonly #beats = new Coalesced(() => this.#write());
  #isOver = false;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
  }

  /** Writes it now: at the start, and on a change. Calls during a write are coalesced into one more write. */
  beat(): Promise<void> {
    return this.#beats.run();
  }

  async #write(): Promise<void> {
    const { store, clock, logger, holder, configPath, configChanged, platforms, onStoreLost } = this.#deps;
    if (this.#isOver) return;
    this.#timer?.[Symbol.dispose]();
    const config = { configPath, configChanged: configChanged() };
    const row = { id: holder.id, holder, startedAt: this.#startedAt, ...config, platforms: platforms() };
    try {
      await store.gateways.heartbeat(row);
    } catch (error) {
      logger.warn({ error }, "a heartbeat could not be written");
      if (asHermesError(error).code === "STORE_REPLACED") onStoreLost();
    }
    if (!this.#isOver) this.#timer = clock.setTimer(EVERY_MS, () => void this.beat());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    await this.#beats.idle();
    this.#timer?.[Symbol.dispose]();
    await this.#deps.store.gateways.remove(this.#deps.holder.id);
  }
}
