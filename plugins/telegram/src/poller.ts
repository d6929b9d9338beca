import { type AdapterHealth, backOff, type Clock, type Logger, sleep, untilAborted } from "@hermes/core";
import type { Api, GrammyError } from "grammy";
import type { Update } from "grammy/types";
import { toApiSignal } from "./bot-api.ts";
import { isConflict, toPlatformError } from "./errors.ts";

/** How long Telegram holds an empty answer back, in seconds. */
const LONG_POLL_SECONDS = 30;

/** A poll without an answer this long after its time is lost, in milliseconds: a connection can die without a word. */
const PATIENCE_MS = 10_000;

/** Telegram is asked again after 1 s, 2 s, 4 s … and every half minute, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 30_000 };

/** How long another program with the same token is left alone, in milliseconds: two end each other's polls. */
const CONFLICT_RETRY_MS = 5_000;

/** A token that was accepted before and is not now: mostly revoked, sometimes a fault of Telegram's. */
const UNAUTHORISED_RETRY_MS = 5 * 60_000;

/** Messages that Hermes could not take are asked for again after this, in milliseconds. */
const TAKE_AGAIN_MS = 1_000;

export interface PollerParts {
  readonly api: Api;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves when the update is kept; then it is confirmed to Telegram, and no earlier. */
  readonly take: (update: Update) => Promise<void>;
  readonly onHealth: (health: AdapterHealth) => void;
}

/**
 * Receives updates by long polling ("Getting updates"). An update is confirmed by the offset of the next poll, once it
 * and all before it are kept. Where the offset stands is Telegram's to know: what a crash leaves unconfirmed comes again,
 * with the same message ids.
 */
export class Poller {
  readonly #parts: PollerParts;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #ended: Promise<void> | null = null;
  /** The first update that is not confirmed; undefined when Telegram knows it already. */
  #offset: number | undefined;
  #failures = 0;

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  /** Resolves when updates are received, or another program is in the way of that; rejects when Telegram says no. */
  async start(): Promise<void> {
    this.#ended ??= this.#run();
    await this.#first.promise;
  }

  /** Resolves when nothing is polled any more, and what was kept is confirmed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    // The first one returns at once, and so does the first after a failure: the health is to know soon.
    let timeout = 0;
    while (!signal.aborted) {
      try {
        const updates = await this.#poll(timeout);
        timeout = LONG_POLL_SECONDS;
        this.#failures = 0;
        // Without an offset from here on: after a week of silence Telegram may count anew from a lower number.
        this.#offset = undefined;
        this.#parts.onHealth({ state: "up" });
        this.#first.resolve();
        await this.#takeAll(updates);
      } catch (error) {
        timeout = 0;
        if (!signal.aborted) await this.#recover(error);
      }
    }
    this.#first.resolve();
    await this.#confirm();
  }

  async #poll(timeout: number): Promise<Update[]> {
    const { api, clock } = this.#parts;
    const deadline = new AbortController();
    using _timer = clock.setTimer(timeout * 1000 + PATIENCE_MS, () => deadline.abort());
    const offset = this.#offset === undefined ? {} : { offset: this.#offset };
    return await api.getUpdates(
      { ...offset, limit: 100, timeout, allowed_updates: ["message", "edited_message"] },
      toApiSignal(AbortSignal.any([this.#stopping.signal, deadline.signal])),
    );
  }

  /** In the order of writing within a chat or topic; those side by side. */
  async #takeAll(updates: readonly Update[]): Promise<void> {
    const { clock, logger } = this.#parts;
    const failed = new Set<number>();
    const places = Map.groupBy(updates, placeOf);
    const all = Promise.all(
      [...places.values()].map(async (there) => {
        for (const [at, update] of there.entries()) {
          try {
            await this.#parts.take(update);
          } catch (error) {
            logger.warn({ update: update.update_id, error }, "a message was not taken; it is asked for again");
            for (const { update_id: id } of there.slice(at)) failed.add(id);
            return;
          }
        }
      }),
    );
    await untilAborted(all, this.#stopping.signal);
    if (this.#stopping.signal.aborted) return;
    const lastId = updates.at(-1)?.update_id;
    if (failed.size > 0) {
      this.#offset = Math.min(...failed);
      await sleep(clock, TAKE_AGAIN_MS, this.#stopping.signal);
    } else if (lastId !== undefined) {
      this.#offset = lastId + 1;
    }
  }

  async #recover(thrown: unknown): Promise<void> {
    const { api, clock, logger, onHealth } = this.#parts;
    const isOthersPoll = isConflict(thrown);
    const error = toPlatformError(thrown);
    this.#failures++;
    if (isOthersPoll) {
      onHealth({ state: "degraded", detail: conflictText(thrown) });
      // A webhook would keep every poll from succeeding.
      if (isWebhookConflict(thrown)) await api.deleteWebhook().catch(() => {});
      this.#first.resolve();
    } else {
      onHealth({ state: "down", detail: `Not receiving: ${error.message} ${error.hint}` });
      this.#first.reject(error);
    }
    const waitMs = backOff(this.#failures, RETRY);
    const retryInMs =
      error.code === "PLATFORM_UNAUTHORISED"
        ? UNAUTHORISED_RETRY_MS
        : Math.max(error.retryAfterMs ?? 0, isOthersPoll ? Math.max(waitMs, CONFLICT_RETRY_MS) : waitMs);
    logger.warn({ code: error.code, reason: error.message, retryInMs }, "nothing is received; Telegram is asked again");
    await sleep(clock, retryInMs, this.#stopping.signal);
  }

  /** One more poll tells Telegram what was kept last, so that the next process does not get it again. */
  async #confirm(): Promise<void> {
    if (this.#offset === undefined) return;
    const { api, logger } = this.#parts;
    const deadline = AbortSignal.timeout(2_000);
    await api
      .getUpdates({ offset: this.#offset, limit: 1, timeout: 0 }, toApiSignal(deadline))
      .catch((error: unknown) => {
        logger.debug({ reason: toPlatformError(error).message }, "what was received last could not be confirmed");
      });
  }
}

function placeOf({ message, edited_message: edited }: Update): string {
  const at = message ?? edited;
  // Outside of forums a thread is only a row of replies in the one conversation of the chat.
  return `${at?.chat.id} ${at?.is_topic_message ? at.message_thread_id : ""}`;
}

function isWebhookConflict(error: GrammyError): boolean {
  return error.description.includes("webhook");
}

function conflictText(error: GrammyError): string {
  return isWebhookConflict(error)
    ? "Not receiving: a webhook is set for this bot. It is removed, and polling tried again."
    : "Not receiving: another program polls with this bot's token. Stop it, or give one of the two a bot of its own.";
}
