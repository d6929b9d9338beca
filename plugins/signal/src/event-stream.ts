import { type Clock, type Logger, type ReceiveRound, reasonOf, sleep, untilAborted } from "@hermes/core";
import { toPlatformError, unavailable } from "./errors.ts";

/** Daemons up to 0.14.3 say nothing, not even that they accept, before their first sign of life after 15 s. */
const OPENING_MS = 3_000;

/** The daemon gives a sign of life every 15 s. A stream that is silent for so long is lost, in milliseconds. */
const SILENCE_MS = 60_000;

/** An event that could not be taken in is tried again every second, in milliseconds. */
const TAKE_AGAIN_MS = 1_000;

interface EventStream {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Asks the daemon for the stream. */
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** Takes an event in, for good: it throws when it could not, and then gets the event again. */
  readonly take: (event: StreamEvent) => void;
  /** Resolves when more events can be taken in; the stream is not read until then. */
  readonly room: () => Promise<void>;
}

/**
 * Listens to the stream of events until it ends, which is an error. That the daemon answers to something else says
 * nothing about the stream, so only what comes on the stream itself counts as life, its comments too. A PlatformError
 * says that the daemon is there.
 */
export async function listen(
  { signal, failures, connected, received }: ReceiveRound,
  { clock, logger, open, take, room }: EventStream,
): Promise<never> {
  let isOpen = false;
  const opened = () => {
    isOpen = true;
    connected();
  };
  const silent = new AbortController();
  let silence = clock.setTimer(SILENCE_MS, () => silent.abort());
  // Behind a stream that was lost, silence is no sign that it is there again.
  using opening = clock.setTimer(OPENING_MS, () => failures === 0 && opened());
  try {
    const body = await open(AbortSignal.any([signal, silent.signal]));
    opening[Symbol.dispose]();
    opened();
    const reader = new EventReader();
    for await (const chunk of body) {
      silence[Symbol.dispose]();
      received();
      for (const event of reader.read(chunk)) await takeIn(event, { clock, logger, take }, signal);
      await untilAborted(room(), signal);
      silence = clock.setTimer(SILENCE_MS, () => silent.abort());
    }
  } catch (error) {
    if (silent.signal.aborted) throw unavailable(`the daemon gave no sign of life for ${SILENCE_MS / 1000} s`);
    throw isOpen ? toPlatformError(error) : error;
  } finally {
    silence[Symbol.dispose]();
  }
  throw unavailable("the daemon ended the stream of events");
}

/**
 * Takes an event in however long that takes. It is in memory only meanwhile: a daemon repeats nothing to whom it has
 * given no number yet, and before 0.14.9 nothing at all.
 */
async function takeIn(
  event: StreamEvent,
  { clock, logger, take }: Pick<EventStream, "clock" | "logger" | "take">,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return take(event);
    } catch (error) {
      logger.error({ reason: reasonOf(error) }, "a message could not be kept; it is tried again");
      await sleep(clock, TAKE_AGAIN_MS, signal);
    }
  }
  throw unavailable("it was stopped before a message could be kept");
}

/** An event of the daemon's stream. */
export interface StreamEvent {
  /** By which the stream is taken up again behind it; null from daemons that number nothing (before 0.14.9). */
  readonly id: string | null;
  readonly data: string;
}

/** A message has 64 KiB of text at most, and files are not in it. What is longer than this is no event, in characters. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/**
 * Reads server-sent events ("Interpreting an event stream", HTML Living Standard) as they come in. Returns the events
 * that a chunk completes; comments complete none. Throws when an event does not end.
 */
export class EventReader {
  readonly #decoder = new TextDecoder();
  /** A carriage return, behind which a line feed may be on its way. */
  #held = "";
  #line = "";
  #id: string | null = null;
  #data: string[] = [];
  #length = 0;

  read(chunk: Uint8Array): StreamEvent[] {
    const text = this.#held + this.#decoder.decode(chunk, { stream: true });
    this.#held = text.endsWith("\r") ? "\r" : "";
    const [rest = "", ...begun] = text.slice(0, text.length - this.#held.length).split(/\r\n?|\n/);
    const lines = [this.#line + rest, ...begun];
    this.#line = lines.pop() ?? "";
    const events = lines.flatMap((line) => this.#take(line));
    if (this.#length + this.#line.length > LONGEST_EVENT)
      throw unavailable("its daemon sends something without an end");
    return events;
  }

  #take(line: string): StreamEvent[] {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") {
      this.#data.push(value);
      this.#length += value.length;
    }
    if (field === "id" && !value.includes("\0")) this.#id = value || null;
    return [];
  }

  #dispatch(): StreamEvent[] {
    if (this.#data.length === 0) return [];
    const event = { id: this.#id, data: this.#data.join("\n") };
    this.#data = [];
    this.#length = 0;
    return [event];
  }
}
