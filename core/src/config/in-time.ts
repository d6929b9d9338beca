import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";

/** How long code that a config runs or names may take to load, in milliseconds. */
const LOADED_WITHIN_MS = 15_000;

/** Rejects when `work` takes longer than 15 s, so that a config that hangs cannot block a command. */
export function inTime<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const late = () => new Error(`it was not done after ${LOADED_WITHIN_MS / 1000} s`);
  return withDeadline(clock, LOADED_WITHIN_MS, work, late);
}
