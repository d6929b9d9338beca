import { LateReports, type LateReportsParts, type PlatformError, RecentMap, sleep } from "@hermes/core";
import type { WireStatus } from "./wire.ts";

/**
 * The ranks of a message's statuses. Reports come in any order and more than once ("Webhooks › statuses"); only a
 * higher rank counts. A message that is `failed` on one device may still be `delivered` to another.
 */
const RANK: Readonly<Record<string, number>> = { sent: 1, failed: 2, delivered: 3, read: 4, played: 4 };

/** The most messages whose status is remembered. */
const MOST_REMEMBERED = 5_000;

export interface DeliveryReportsParts extends Pick<LateReportsParts, "clock" | "logger" | "settle"> {
  /** Why a message was refused; null when it went out as a template instead, under the same id for Hermes. */
  readonly refusalOf: (status: WireStatus) => Promise<PlatformError | null>;
}

/** Handles Meta's delivery reports on sent messages. They never start a turn. */
export class DeliveryReports {
  readonly #parts: DeliveryReportsParts;
  readonly #ranks = new RecentMap<string, number>(MOST_REMEMBERED);
  /** Refusals that are about to be repeated: the same one again is acknowledged with the first. */
  readonly #waiting = new Map<string, Promise<void>>();
  /** Of messages that were sent a second time: from the new id to the one that Hermes knows. */
  readonly #firstIds = new RecentMap<string, string>(MOST_REMEMBERED);
  /** Sends whose response was lost, by their key. */
  readonly #awaited = new Map<string, (messageId: string) => void>();
  #lastRefusal: Promise<PlatformError | null> = Promise.resolve(null);
  readonly #ended = new AbortController();
  readonly #late: LateReports;

  constructor(parts: DeliveryReportsParts) {
    this.#parts = parts;
    this.#late = new LateReports(parts);
  }

  /** Resolves once Hermes has stored the report. */
  async take(status: WireStatus): Promise<void> {
    const { id, biz_opaque_callback_data: key } = status;
    if (key !== undefined) this.#awaited.get(key)?.(id);
    const rank = RANK[status.status] ?? 0;
    const before = this.#ranks.get(id) ?? 0;
    const former = this.#waiting.get(id);
    if (rank <= before) return former;
    this.#ranks.set(id, rank);
    const noting = this.#note(status, former);
    this.#waiting.set(id, noting);
    try {
      await noting;
    } catch (error) {
      // It comes again, and is news then.
      if (this.#ranks.get(id) === rank) this.#ranks.set(id, before);
      throw error;
    } finally {
      if (this.#waiting.get(id) === noting) this.#waiting.delete(id);
    }
  }

  /** Counts reports on `secondId` for `firstId` from now on. */
  alias(secondId: string, firstId: string): void {
    this.#firstIds.set(secondId, this.#firstIds.get(firstId) ?? firstId);
  }

  /** Finds the id of the message that was sent with `key`; null if Meta does not report on it within `withinMs`. */
  async idOf(key: string, withinMs: number, signal: AbortSignal): Promise<string | null> {
    const reported = Promise.withResolvers<string>();
    this.#awaited.set(key, reported.resolve);
    const until = AbortSignal.any([signal, this.#ended.signal]);
    try {
      return await Promise.race([reported.promise, sleep(this.#parts.clock, withinMs, until).then(() => null)]);
    } finally {
      this.#awaited.delete(key);
    }
  }

  stop(): void {
    this.#ended.abort();
    this.#late.stop();
  }

  async #note(status: WireStatus, former: Promise<void> | undefined): Promise<void> {
    const { id } = status;
    if (status.status === "sent" || RANK[status.status] === undefined) return;
    // The last word on a message is told last.
    await former?.catch(() => {});
    const refusal = status.status === "failed" ? await this.#refusalOf(status) : null;
    if (status.status === "failed" && refusal === null) return;
    await this.#late.say(this.#firstIds.get(id) ?? id, refusal ?? "arrived", status.biz_opaque_callback_data);
  }

  /** One after another: the templates that go out instead keep the order of their messages. */
  #refusalOf(status: WireStatus): Promise<PlatformError | null> {
    const refusal = this.#lastRefusal.then(() => this.#parts.refusalOf(status));
    this.#lastRefusal = refusal.catch(() => null);
    return refusal;
  }
}
