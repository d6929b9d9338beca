import { type AdapterHealth, backOff, type Clock, type Logger, PlatformError, reasonOf, sleep } from "@hermes/core";
import { toPlatformError, unavailable } from "./errors.ts";
import { EventReader, type StreamEvent } from "./sse.ts";

/** Daemons up to 0.14.3 say nothing, not even that they accept, before their first sign of life after 15 s. */
const OPENING_MS = 3_000;

/** The daemon gives a sign of life every 15 s. A stream that is silent for so long is lost, in milliseconds. */
const SILENCE_MS = 60_000;

/** The stream is opened again after 1 s, 2 s, 4 s … and every 10 s, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 10_000 };

export interface EventStreamParts {
  /** Asks the daemon for the stream, from behind that event on where it numbers them. */
  readonly open: (lastEventId: string | null, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The last event that need not come again. */
  readonly lastEventId: () => string | null;
  /** Takes an event in, for good: it throws when it could not, and then the event is asked for again. */
  readonly take: (event: StreamEvent) => void;
  readonly onHealth: (health: AdapterHealth) => void;
}

/**
 * Keeps the stream of events open. That the daemon answers to something else says nothing about the stream, so only
 * what comes on the stream itself counts as life, its comments too.
 */
export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #stopping = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #ended: Promise<void> | null = null;
  #failures = 0;
  #isOpen = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
  }

  /** Resolves when events are received; rejects when the first attempt fails. */
  async start(): Promise<void> {
    this.#ended ??= this.#run();
    await this.#first.promise;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#listen();
      } catch (error) {
        if (!signal.aborted) await this.#recover(error);
      }
    }
    this.#first.resolve();
  }

  /** Returns never: the stream's end is an error. */
  async #listen(): Promise<never> {
    const { open, clock, lastEventId } = this.#parts;
    this.#isOpen = false;
    const silent = new AbortController();
    let silence = clock.setTimer(SILENCE_MS, () => silent.abort());
    // Behind a stream that was lost, silence is no sign that it is there again.
    using opening = clock.setTimer(OPENING_MS, () => this.#failures === 0 && this.#isReceiving());
    try {
      const signal = AbortSignal.any([this.#stopping.signal, silent.signal]);
      const body = await open(lastEventId(), signal);
      opening[Symbol.dispose]();
      this.#isReceiving();
      const reader = new EventReader();
      for await (const chunk of body) {
        silence[Symbol.dispose]();
        silence = clock.setTimer(SILENCE_MS, () => silent.abort());
        this.#failures = 0;
        for (const event of reader.read(chunk)) this.#take(event);
      }
    } catch (error) {
      if (silent.signal.aborted) throw unavailable(`the daemon gave no sign of life for ${SILENCE_MS / 1000} s`);
      throw error;
    } finally {
      silence[Symbol.dispose]();
    }
    throw unavailable("the daemon ended the stream of events");
  }

  #take(event: StreamEvent): void {
    try {
      this.#parts.take(event);
    } catch (error) {
      throw unavailable(`a message could not be kept (${reasonOf(error)})`);
    }
  }

  #isReceiving(): void {
    this.#isOpen = true;
    this.#parts.onHealth({ state: "up" });
    this.#first.resolve();
  }

  async #recover(thrown: unknown): Promise<void> {
    const { clock, logger, onHealth } = this.#parts;
    const error = toPlatformError(thrown);
    this.#failures++;
    this.#first.reject(error);
    const retryInMs = backOff(this.#failures, RETRY);
    // Where nothing listens at all, nothing can be sent either.
    const isThere = this.#isOpen || thrown instanceof PlatformError;
    onHealth({ state: isThere ? "degraded" : "down", detail: `Not receiving: ${error.message} ${error.hint}` });
    logger.warn({ reason: error.message, retryInMs }, "the daemon's stream of events is lost; it is opened again");
    await sleep(clock, retryInMs, this.#stopping.signal);
  }
}
