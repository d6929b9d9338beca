import type { IntakeEntry } from "../ordered-intake.ts";

/**
 * A message that a platform has: as it comes, or out of its history. `place` is where it stands: a channel, or a thread
 * whose messages the channel's history leaves out. `id` is the platform's, by which what came first is told.
 */
export type HistoryEntry = IntakeEntry;

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
