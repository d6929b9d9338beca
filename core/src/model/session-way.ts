import { buildSessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { Handoff, HandoffId } from "./handoff.ts";
import { type HandoffTarget, typedTarget } from "./place.ts";
import type { Surface } from "./session.ts";

/** One move of a session from a place to another, or an attempt at it. */
export interface Hop {
  readonly handoffId: HandoffId;
  readonly state: Handoff["state"];
  /** By the names that people see: `terminal`, `pager › #general › Plan`. */
  readonly from: string;
  readonly to: string;
  /** When it arrived or failed, or else was asked for; milliseconds since 1970. */
  readonly at: number;
  readonly link: string | null;
  /** Why it failed; null unless it did. */
  readonly error: StoredError | null;
}

/**
 * The way of a session: its handoffs, given newest first as a store lists them, as hops from the first to the latest.
 * `nameOf` names a place that none of them led to; null where it does not know it.
 */
export function wayOf(handoffs: readonly Handoff[], nameOf: (surface: Surface) => string | null): Hop[] {
  const landed = new Map<Surface, string>([["terminal", "terminal"]]);
  return handoffs.toReversed().map((handoff) => {
    const { id, state, from, to, place, conversation, link, error, requestedAt, endedAt } = handoff;
    const hop = {
      ...{ handoffId: id, state, from: landed.get(from) ?? nameOf(from) ?? "another place" },
      ...{ to: place ?? nameOfTarget(to), at: endedAt ?? requestedAt, link, error },
    };
    if (conversation !== null) landed.set(buildSessionKey(conversation), hop.to);
    return hop;
  });
}

/** A target by the names that people see. */
function nameOfTarget(to: HandoffTarget): string {
  if (to.kind !== "conversation") return typedTarget(to);
  return [to.platform, to.name ?? to.conversation.chatId].join(" › ");
}
