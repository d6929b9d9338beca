import { type Clock, sleep } from "../base/clock.ts";
import { type PlatformError, reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { RecentMap } from "../base/recent-map.ts";
import type { AdapterEvents } from "./adapter.ts";
import type { SentLog } from "./sent-log.ts";

/** What became of a sent message: it arrived, was refused after all, or nobody knows yet. */
export type Fate = "arrived" | "unknown" | PlatformError;

/** Whom {@link LateReports} tells, and how it looks at a message. */
export interface LateReportsParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** `context.settle`. */
  readonly settle: AdapterEvents["settle"];
  /** Where the platform reports no refusal by itself: how a message is looked at again, and when. */
  readonly look?: {
    /** Milliseconds after it was begun. What is not refused the last time counts as arrived. */
    readonly afterMs: readonly number[];
    /** May throw: the next time may tell. */
    readonly read: (messageId: string) => Promise<Fate>;
    /** What is settled is noted here, and what is not when a process ends is looked at by the next. */
    readonly log: Pick<SentLog, "all" | "byId" | "change">;
  };
}

/**
 * A platform may report on a message before Hermes has stored the id that the platform gave it: each report is repeated
 * after so many milliseconds.
 */
const SAY_AGAIN_MS = 2_000;

/** What an earlier process left is looked at for so long, in milliseconds. */
const LOOKED_AT_FOR_MS = 24 * 60 * 60_000;

const MOST_ARRIVED = 10_000;

/**
 * Tells Hermes what became of messages that the platform took: by the platform's reports, and by looking at each again at
 * fixed times where the platform is silent about what it could not deliver. For adapters with `lateRefusal`.
 *
 * @example
 * ```ts
 * const read = async (id: string) => ((await api.message(id)).isFailed ? errors.rejected(…) : "unknown");
 * const reports = new LateReports({ clock, logger, settle, look: { afterMs: [5_000, 60_000], read, log } });
 * onStop(() => reports.stop());
 * reports.takeUp();
 * reports.watch(messageId); // each message that was sent
 * await reports.say(messageId, "arrived"); // where the platform tells
 * ```
 */
export class LateReports {
  readonly #parts: LateReportsParts;
  readonly #timers = new Set<Disposable>();
  readonly #arrived = new RecentMap<string, true>(MOST_ARRIVED);
  /** Refusals that are being told. */
  readonly #refusing = new Map<string, Promise<void>>();
  /** Messages that are about to be looked at. */
  readonly #looking = new Set<string>();
  readonly #stopped = new AbortController();

  constructor(parts: LateReportsParts) {
    this.#parts = parts;
  }

  /** Watches what an earlier process did not come to. */
  takeUp(): void {
    const { clock, look } = this.#parts;
    for (const { madeId, at } of look?.log.all() ?? []) {
      if (madeId !== null && clock.now() - at < LOOKED_AT_FOR_MS) this.watch(madeId);
    }
  }

  /** Looks at a message of the log again, at each of the times. */
  watch(messageId: string): void {
    const { clock, look } = this.#parts;
    const sent = look?.log.byId(messageId);
    if (!look || !sent || sent.isSettled) return;
    for (const [index, afterMs] of look.afterMs.entries()) {
      const isLast = index === look.afterMs.length - 1;
      const delayMs = sent.at + afterMs - clock.now();
      if (delayMs >= 0 || isLast) this.#in(delayMs, () => this.#look(messageId, isLast));
    }
  }

  /** Looks at a message now, since the platform tells of something new about it. */
  look(messageId: string): void {
    if (this.#looking.has(messageId)) return;
    this.#looking.add(messageId);
    this.#in(0, () => {
      this.#looking.delete(messageId);
      return this.#look(messageId, false);
    });
  }

  /**
   * Tells what became of a message. Resolves once Hermes has stored it, for a refusal once it was repeated: acknowledge it
   * to the platform no sooner, so that a process which comes after this one hears of it. Rejects where it cannot be stored.
   * `key` as for `context.settle`.
   */
  async say(messageId: string, fate: Fate, key?: string): Promise<void> {
    if (fate === "unknown") return;
    if (fate === "arrived") {
      const { settle } = this.#parts;
      await settle(messageId, null, undefined, key);
      this.#arrived.set(messageId, true);
      this.#in(SAY_AGAIN_MS, () => settle(messageId, null, undefined, key));
      return;
    }
    const refusing = this.#refusing.get(messageId) ?? this.#refuse(messageId, fate, key);
    this.#refusing.set(messageId, refusing);
    await refusing.finally(() => this.#refusing.delete(messageId));
  }

  stop(): void {
    this.#stopped.abort();
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  async #refuse(messageId: string, refusal: PlatformError, key: string | undefined): Promise<void> {
    const { clock, settle } = this.#parts;
    const { signal } = this.#stopped;
    await settle(messageId, refusal, undefined, key);
    await sleep(clock, SAY_AGAIN_MS, signal);
    if (signal.aborted) throw new Error("it was stopped before a refusal was repeated");
    await settle(messageId, refusal, undefined, key);
    this.#note(messageId);
  }

  async #look(messageId: string, isLast: boolean): Promise<void> {
    const { look } = this.#parts;
    if (!look || look.log.byId(messageId)?.isSettled || (!isLast && this.#arrived.has(messageId))) return;
    const fate = await look.read(messageId);
    const isRefused = fate !== "arrived" && fate !== "unknown";
    if (isRefused || !this.#arrived.has(messageId)) await this.say(messageId, isLast && !isRefused ? "arrived" : fate);
    if (isLast) this.#note(messageId);
  }

  #note(messageId: string): void {
    const { log } = this.#parts.look ?? {};
    const sent = log?.byId(messageId);
    if (sent) log?.change(sent.key, { isSettled: true });
  }

  #in(delayMs: number, work: () => Promise<void>): void {
    if (this.#stopped.signal.aborted) return;
    const timer = this.#parts.clock.setTimer(Math.max(0, delayMs), () => {
      this.#timers.delete(timer);
      work().catch((error: unknown) => {
        this.#parts.logger.debug({ reason: reasonOf(error) }, "what became of a message could not be told");
      });
    });
    this.#timers.add(timer);
  }
}
