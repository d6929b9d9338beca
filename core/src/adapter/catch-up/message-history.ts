import { PlatformError, type PlatformErrorCode } from "../../base/errors.ts";
import type { InboundMessage } from "../message.ts";

/** A message that a platform has: as it comes, or out of its history. */
export interface HistoryEntry {
  /** Where it stands: a channel, or a thread whose messages the channel's history leaves out. */
  readonly place: string;
  /** The platform's id of it, by which what came first is told. */
  readonly id: string;
  /** Reads it; null when it is none for Hermes. May throw, and is asked again then. */
  readonly decode: () => Promise<InboundMessage | null>;
}

/** How far the places of a lane have been taken in. */
export interface HeardSoFar {
  /** A message of a place up to which all were taken in; of what follows, those that were are told by their ids. */
  upTo(place: string): string;
  /** The lane's places, the one that was heard of last first. */
  readonly places: readonly string[];
  /** A place is gone, and is not asked for any more. */
  forget(place: string): void;
}

/** What {@link CatchUp} has to know of a platform that keeps what is written while nobody listens. */
export interface MessageHistory {
  /** Whether the message `a` was written after `b`. */
  isAfter(a: string, b: string): boolean;
  /** An id right before that of a message, whether or not there is such a message. */
  before(id: string): string;
  /** The id that a message of that time would have. `time` in milliseconds since 1970. */
  at(time: number): string;
  /** What is read in one, in order: the place itself where it is left out. A thread's is its channel, say. */
  laneOf?(place: string): string;
  /**
   * Lanes that the platform tells of; those that Hermes never heard of are read from `after`. `places`: those that it
   * did hear of. Left out where the platform tells of none.
   */
  lanes?(
    horizon: string,
    places: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly { readonly lane: string; readonly after: string }[]>;
  /**
   * What was written in a lane since, oldest first. Throws a PlatformError: unless it is final, another reading
   * follows, from where it broke off; PLATFORM_NOT_FOUND and PLATFORM_FORBIDDEN say that there is nothing to be read.
   */
  missed(lane: string, heard: HeardSoFar, signal: AbortSignal): AsyncIterable<HistoryEntry>;
}

const FINAL: readonly PlatformErrorCode[] = [
  "PLATFORM_NOT_FOUND",
  "PLATFORM_FORBIDDEN",
  "PLATFORM_THREAD_GONE",
  "PLATFORM_REJECTED",
];

/** Whether a platform said no to reading something. All else, no answer among it, says nothing: reading can be repeated. */
export function isFinal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && FINAL.includes(error.code);
}
