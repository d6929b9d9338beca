import { HermesError } from "../../base/errors.ts";
import { isListNumber, othersCalled } from "../../command/find-session.ts";
import type { Handoff, HandoffId } from "../../model/handoff.ts";
import { EVERY_SESSION, type Session } from "../../model/session.ts";
import { listFound } from "../../store/look-up-session.ts";
import type { Store } from "../../store/store.ts";

/** How many handoffs have a number, the newest first. */
const NUMBERED = 99;

/** The handoffs that a person may name by a number, in the order of their numbers from 1 on. */
export function numberedHandoffs(store: Store): Promise<Handoff[]> {
  return store.handoffs.list({ limit: NUMBERED });
}

/**
 * The handoff a person means: an id, a number of the list, or a session's title or id, for its latest one.
 * Throws HANDOFF_UNKNOWN, and HANDOFF_AMBIGUOUS where several sessions fit.
 */
export async function findHandoff(store: Store, reference: string): Promise<Handoff> {
  const wanted = reference.trim();
  const named = await store.handoffs.get(wanted as HandoffId);
  if (named !== null) return named;
  const numbered = isListNumber(wanted) ? (await numberedHandoffs(store))[Number(wanted) - 1] : undefined;
  const sessions = wanted === "" ? [] : await store.sessions.find(wanted, EVERY_SESSION);
  if (numbered !== undefined) return onlyMeant(store, wanted, numbered, sessions);
  const latest = sessions.map(async (session) => ({
    session,
    handoff: await store.handoffs.latestOf(session.id),
  }));
  const found = (await Promise.all(latest)).flatMap(({ session, handoff }) => (handoff ? [{ session, handoff }] : []));
  const [first, second] = found;
  if (first === undefined) throw new HermesError("HANDOFF_UNKNOWN", { reference: wanted });
  if (second === undefined) return first.handoff;
  throw new HermesError("HANDOFF_AMBIGUOUS", {
    reference: wanted,
    count: found.length,
    titles: await listFound(
      store,
      found.map(({ session }) => session),
    ),
  });
}

/** The handoff with the number; throws where a session that was handed off is called like the number. */
async function onlyMeant(store: Store, number: string, numbered: Handoff, found: readonly Session[]): Promise<Handoff> {
  const own = await store.sessions.get(numbered.sessionId);
  const others = [];
  for (const session of othersCalled(number, found, own)) {
    if ((await store.handoffs.latestOf(session.id)) !== null) others.push(session);
  }
  if (others.length === 0) return numbered;
  throw new HermesError("HANDOFF_AMBIGUOUS", {
    reference: number,
    count: others.length + 1,
    titles: await listFound(store, [...(own === null ? [] : [own]), ...others]),
  });
}
