import { HermesError } from "../base/errors.ts";
import type { Session, Visibility } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { listedSessions } from "./session-list.ts";

/**
 * The session a person means: a number of the list, an id, a title or a part of one.
 * Throws SESSION_UNKNOWN, and SESSION_AMBIGUOUS where several fit: nobody guesses.
 */
export async function findSession(store: Store, reference: string, visible: Visibility): Promise<Session> {
  const wanted = reference.trim();
  if (/^[1-9]\d?$/.test(wanted)) {
    const numbered = (await listedSessions(store, visible))[Number(wanted) - 1];
    if (numbered !== undefined) return numbered;
  }
  const found = wanted === "" ? [] : await store.sessions.find(wanted, visible);
  const [first, second] = found;
  if (first === undefined) throw new HermesError("SESSION_UNKNOWN", { reference: wanted });
  if (second === undefined) return first;
  throw new HermesError("SESSION_AMBIGUOUS", {
    reference: wanted,
    count: found.length,
    titles: found.map((session) => session.title ?? session.id).join(", "),
  });
}
