import { HermesError } from "../base/errors.ts";
import { ageText } from "../base/text.ts";
import type { Handoff } from "./handoff.ts";

/** Why a session is not to be had while it is being handed off. `now` is in milliseconds since 1970. */
export function inFlightError({ platform, requestedAt, id }: Handoff, now: number): HermesError {
  return new HermesError("HANDOFF_IN_FLIGHT", { platform, age: ageText(now - requestedAt), handoffId: id });
}

/** Why a session is not to be had while a turn runs in it: where, as a person calls the place, and since when. */
export function busyError(
  { place, since }: { readonly place: string; readonly since: number },
  now: number,
): HermesError {
  return new HermesError("SESSION_BUSY", { place, age: ageText(now - since) });
}
