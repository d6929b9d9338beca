import { readDuration } from "../base/duration.ts";
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

/** A key may be known of half a minute late: a shorter time would send somebody away who types. */
const LEAST_REST_MS = 60_000;

/** Reads how long no key has to be touched, such as `90s` or `10m`; null where it is no time of a minute to a day. */
export function readRest(text: string): number | null {
  const ms = readDuration(text);
  return ms !== null && ms >= LEAST_REST_MS ? ms : null;
}
