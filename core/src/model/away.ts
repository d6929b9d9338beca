import type { PlatformTarget } from "./place.ts";
import type { UserId } from "./session.ts";

/** Where a session goes by itself, once, when its terminal is left or rests. */
export interface Away {
  readonly to: PlatformTarget;
  /** Milliseconds without a key after which a terminal rests. */
  readonly restMs: number;
  /** Who set it. */
  readonly by: UserId;
  /** Until when the person saw what happened: when it was set, or the terminal left. Milliseconds since 1970. */
  readonly seenAt: number;
}

/** Milliseconds without a key after which a terminal rests, where nobody says another time. */
export const REST_MS = 10 * 60_000;
