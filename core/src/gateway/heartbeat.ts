import { Coalesced } from "../base/coalesced.ts";
import { asHermesError } from "../base/errors.ts";
import { regularly } from "../base/regularly.ts";
import type { Host } from "../host/host.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import type { ConfigWatch } from "./config-watch.ts";

type Parts = Pick<Host, "store" | "clock" | "logger" | "holder">;

/** Heartbeat interval in milliseconds. A gateway that misses three counts as dead. */
const EVERY_MS = 5_000;

/** Records in the store that this gateway is alive, and the health of its platforms. */
export class Heartbeat implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #config: ConfigWatch;
  readonly #platforms: () => readonly ServedPlatform[];
  readonly #onStoreLost: () => void;
  readonly #startedAt: number;
  readonly #timer: Disposable;
  readonly #beats = new Coalesced(() => this.#write());
  #isOver = false;

  /** `onStoreLost` is called when the store was replaced, so that this gateway has nothing left to serve. */
  constructor(parts: Parts, config: ConfigWatch, platforms: () => readonly ServedPlatform[], onStoreLost: () => void) {
    this.#parts = parts;
    this.#config = config;
    this.#platforms = platforms;
    this.#onStoreLost = onStoreLost;
    this.#startedAt = parts.clock.now();
    this.#timer = regularly(parts.clock, EVERY_MS, () => this.beat());
  }

  /** Writes it now: at the start, and on a change. Calls during a write are coalesced into one more write. */
  beat(): Promise<void> {
    return this.#beats.run();
  }

  async #write(): Promise<void> {
    const { store, logger, holder } = this.#parts;
    if (this.#isOver) return;
    const config = { configPath: this.#config.path, configChanged: this.#config.hasChanged };
    const row = { id: holder.id, holder, startedAt: this.#startedAt, ...config, platforms: this.#platforms() };
    try {
      await store.gateways.heartbeat(row);
    } catch (error) {
      logger.warn({ error }, "a heartbeat could not be written");
      if (asHermesError(error).code === "STORE_REPLACED") this.#onStoreLost();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#timer[Symbol.dispose]();
    await this.#beats.idle();
    const { store, holder } = this.#parts;
    await store.gateways.remove(holder.id);
  }
}
