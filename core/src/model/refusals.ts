import { HermesError } from "../base/errors.ts";
import { ageText } from "../base/text.ts";
import type { Handoff } from "./handoff.ts";

/** The error for a session that is being handed off. `now` is in milliseconds since 1970. */
export function inFlightError({ platform, requestedAt, id }: Handoff, now: number): HermesError {
  return new HermesError("HANDOFF_IN_FLIGHT", { platform, age: ageText(now - requestedAt), handoffId: id });
}

/** The error for a session in which a turn runs. `place` is its name for people; times are in milliseconds since 1970. */
export function busyError(
  { place, since }: { readonly place: string; readonly since: number },
  now: number,
): HermesError {
  return new HermesError("SESSION_BUSY", { place, age: ageText(now - since) });
}
