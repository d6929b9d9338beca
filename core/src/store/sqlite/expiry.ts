import type { Clock } from "../../base/clock.ts";

/**
 * The moment in `ms` milliseconds as it is stored beside the wall time of it: `<ms> <boot>`. Null where this machine's
 * boot has no name.
 */
export function steadyIn(clock: Clock, ms: number): string | null {
  const now = clock.steady();
  return now.boot === null ? null : `${now.ms + ms} ${now.boot}`;
}

/**
 * Milliseconds since a stored moment; negative while it is to come. Counts on the clock that nobody sets, and on wall
 * time only where another machine wrote the moment, or this one before it was started anew.
 */
export function since(clock: Clock, wall: number, steady: string | null): number {
  const now = clock.steady();
  const boot = steady?.indexOf(" ") ?? -1;
  if (steady !== null && boot > 0 && steady.slice(boot + 1) === now.boot) return now.ms - Number(steady.slice(0, boot));
  return clock.now() - wall;
}
