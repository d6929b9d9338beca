import { timeOfDay } from "./time.ts";

/** The time of day at which something was said. */

export function SaidAt({ at }: { at: number }) {
  return <time dateTime={new Date(at).toISOString()}>{timeOfDay(at)}</time>;
}
