import { type AdapterContext, type Clock, type Logger, reasonOf } from "@hermes/core";
import type { Api } from "./api.ts";
import { errorOfCode } from "./errors.ts";
import type { Sent, SentLog } from "./sent-log.ts";
import type { WireRow } from "./wire.ts";

/** When a sent message is read again, in milliseconds after it was begun: of a late failure nobody tells otherwise. */
const READ_AFTER_MS = [5_000, 60_000];

/** An arrival may be told of before Hermes has stored the message's id, in milliseconds. */
const STORED_WITHIN_MS = 1_000;

/** What an earlier process left is looked after for so long, in milliseconds. */
const LOOKED_AFTER_FOR_MS = 24 * 60 * 60_000;

export interface DeliveriesParts extends Pick<AdapterContext, "settle" | "signal"> {
  readonly api: Api;
  readonly sentLog: SentLog;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Finds out what becomes of sent messages: the server answers before Messages knows, and is silent about failures. */
export class Deliveries {
  readonly #parts: DeliveriesParts;
  readonly #timers = new Set<Disposable>();
  readonly #arrived = new Set<string>();
  readonly #settling = new Set<string>();

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
  }

  /** Takes up what an earlier process did not come to. */
  start(): void {
    const { sentLog, clock } = this.#parts;
    for (const sent of sentLog.all()) {
      if (sent.guid && !sent.isSettled && clock.now() - sent.at < LOOKED_AFTER_FOR_MS) this.watch(sent);
    }
  }

  watch({ guid, at }: Sent): void {
    if (guid === undefined) return;
    for (const [index, afterMs] of READ_AFTER_MS.entries()) {
      const isLast = index === READ_AFTER_MS.length - 1;
      this.#in(at + afterMs - this.#parts.clock.now(), () => this.#read(guid, isLast));
    }
  }

  /** A row of a sent message, in an answer or because of an event. */
  heard({ guid, error, dateDelivered }: Pick<WireRow, "guid" | "error" | "dateDelivered">): void {
    const sent = this.#parts.sentLog.byGuid(guid);
    if (sent === undefined || sent.isSettled) return;
    if (error !== 0) this.#in(0, () => this.#settle(guid, error));
    else if (dateDelivered != null && !this.#arrived.has(guid)) {
      this.#arrived.add(guid);
      this.#in(STORED_WITHIN_MS, () => this.#parts.settle(guid, null));
    }
  }

  /** An event told of something new about a sent message. */
  look(guid: string): void {
    if (!this.#arrived.has(guid)) this.#in(0, () => this.#read(guid, false));
  }

  stop(): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  async #read(guid: string, isLast: boolean): Promise<void> {
    const { api, sentLog, signal } = this.#parts;
    if (sentLog.byGuid(guid)?.isSettled) return;
    const row = await api.message(guid, signal);
    if (row.error !== 0 || isLast) await this.#settle(guid, row.error);
    else this.heard(row);
  }

  async #settle(guid: string, error: number): Promise<void> {
    const { settle, sentLog } = this.#parts;
    if (this.#settling.has(guid) || sentLog.byGuid(guid)?.isSettled) return;
    this.#settling.add(guid);
    try {
      await settle(guid, error === 0 ? null : errorOfCode(error));
      const sent = sentLog.byGuid(guid);
      if (sent) sentLog.put({ ...sent, isSettled: true });
    } finally {
      this.#settling.delete(guid);
    }
    this.#arrived.delete(guid);
  }

  #in(delayMs: number, work: () => Promise<void>): void {
    const { clock, logger, signal } = this.#parts;
    const timer = clock.setTimer(Math.max(0, delayMs), () => {
      this.#timers.delete(timer);
      if (signal.aborted) return;
      work().catch((error: unknown) => {
        logger.debug({ reason: reasonOf(error) }, "what became of a message could not be read");
      });
    });
    this.#timers.add(timer);
  }
}
