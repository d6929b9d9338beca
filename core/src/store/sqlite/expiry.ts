import type { Clock } from "../../base/clock.ts";

/**
 * The monotonic time in `ms` milliseconds from now, to store beside its wall time: `<ms> <boot>`. Null if this machine's
 * boot has no id.
 */
export function steadyIn(clock: Clock, ms: number): string | null {
  const now = clock.steady();
  return now.boot === null ? null : `${now.ms + ms} ${now.boot}`;
}

/**
 * Milliseconds since a stored moment; negative if it is in the future. Uses the monotonic clock, or wall time if another
 * machine or an earlier boot wrote the moment.
 */
export function since(clock: Clock, wall: number, steady: string | null): number {
  return steadySince(clock, steady) ?? clock.now() - wall;
}

/** The same by the monotonic clock alone; null if another machine or an earlier boot wrote the moment. */
export function steadySince(clock: Clock, steady: string | null): number | null {
  const now = clock.steady();
  const boot = steady?.indexOf(" ") ?? -1;
  if (steady === null || boot <= 0 || steady.slice(boot + 1) !== now.boot) return null;
  return now.ms - Number(steady.slice(0, boot));
}
