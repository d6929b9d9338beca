import { type Clock, type ReceiveRound, reasonOf } from "@hermes/core";
import { toPlatformError, unavailable } from "./errors.ts";
import { EventReader, type StreamEvent } from "./sse.ts";

/** Daemons up to 0.14.3 say nothing, not even that they accept, before their first sign of life after 15 s. */
const OPENING_MS = 3_000;

/** The daemon gives a sign of life every 15 s. A stream that is silent for so long is lost, in milliseconds. */
const SILENCE_MS = 60_000;

export interface EventStream {
  readonly clock: Clock;
  /** Asks the daemon for the stream. */
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  /** Takes an event in, for good: it throws when it could not, and then the event is asked for again. */
  readonly take: (event: StreamEvent) => void;
}

/**
 * Listens to the stream of events until it ends, which is an error. That the daemon answers to something else says
 * nothing about the stream, so only what comes on the stream itself counts as life, its comments too. A PlatformError
 * says that the daemon is there.
 */
export async function listen(
  { signal, failures, connected, received }: ReceiveRound,
  { clock, open, take }: EventStream,
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
      silence = clock.setTimer(SILENCE_MS, () => silent.abort());
      received();
      for (const event of reader.read(chunk)) takeIn(event, take);
    }
  } catch (error) {
    if (silent.signal.aborted) throw unavailable(`the daemon gave no sign of life for ${SILENCE_MS / 1000} s`);
    throw isOpen ? toPlatformError(error) : error;
  } finally {
    silence[Symbol.dispose]();
  }
  throw unavailable("the daemon ended the stream of events");
}

function takeIn(event: StreamEvent, take: EventStream["take"]): void {
  try {
    take(event);
  } catch (error) {
    throw unavailable(`a message could not be kept (${reasonOf(error)})`);
  }
}
