import { HermesError } from "../base/errors.ts";
import type { Session, Visibility } from "../model/session.ts";
import { listFound } from "../store/look-up-session.ts";
import type { Store } from "../store/store.ts";
import { listedSessions } from "./session-list.ts";

/**
 * Finds the session that a person means by its number in the list, its id, its title or a part of the title.
 * Throws SESSION_UNKNOWN, and SESSION_AMBIGUOUS when several match.
 */
export async function findSession(store: Store, reference: string, visible: Visibility): Promise<Session> {
  const wanted = reference.trim();
  const found = await sessionsFor(store, wanted, visible);
  const [first, second] = found;
  if (first === undefined) throw new HermesError("SESSION_UNKNOWN", { reference: wanted });
  if (second === undefined) return first;
  throw new HermesError("SESSION_AMBIGUOUS", {
    reference: wanted,
    count: found.length,
    titles: await listFound(store, found),
  });
}

async function sessionsFor(store: Store, wanted: string, visible: Visibility): Promise<readonly Session[]> {
  const named = wanted === "" ? [] : await store.sessions.find(wanted, visible);
  const numbered = isListNumber(wanted) ? (await listedSessions(store, visible))[Number(wanted) - 1] : undefined;
  return numbered === undefined ? named : [numbered, ...othersCalled(wanted, named, numbered)];
}

/** Whether a reference may be a position in a list. */
export function isListNumber(reference: string): boolean {
  return /^[1-9]\d?$/.test(reference);
}

/** The other sessions whose whole title is the number that a person wrote: they may mean one of those. */
export function othersCalled(number: string, sessions: readonly Session[], numbered: Session | null): Session[] {
  return sessions.filter(({ id, title }) => title === number && id !== numbered?.id);
}
