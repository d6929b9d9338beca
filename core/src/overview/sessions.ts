import { HermesError } from "../base/errors.ts";
import { readersOf } from "../handoff/session-readers.ts";
import type { Binding } from "../model/binding.ts";
import { accountName } from "../model/identity.ts";
import { EVERY_SESSION, type Session, type SessionId } from "../model/session.ts";
import { lookUpPlace, nameOfPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import { approvalsDocument } from "./approvals.ts";
import type { DocumentParts } from "./document-parts.ts";
import { handoffsDocument } from "./handoffs.ts";
import { holderDocument } from "./holder-document.ts";
import { sessionDocument } from "./session-document.ts";
import { wayOfSession } from "./session-way.ts";

/** How many handoffs of a session are shown, the newest first. */
const HANDOFFS = 50;

/**
 * A page of the sessions, the most recently used first: `hermes sessions --json`. `after`: the cursor of the page
 * before.
 */
export async function sessionsDocument(
  store: Store,
  query: { readonly limit: number; readonly after?: string | undefined; readonly matching?: string | undefined },
) {
  const { limit, after, matching } = query;
  const { sessions, cursor } = await store.sessions.list({
    ...{ visible: EVERY_SESSION, limit },
    ...(after === undefined ? {} : { cursor: after }),
    ...(matching === undefined ? {} : { matching }),
  });
  return { sessions: await Promise.all(sessions.map((session) => listed(store, session))), cursor };
}

async function listed(store: Store, session: Session) {
  const [lastPlace, open] = await Promise.all([
    lookUpPlace(store, session.lastSurface),
    store.approvals.open(session.id),
  ]);
  return { ...sessionDocument(session), lastPlace, openQuestions: open.length };
}

/** Where a session can be used, how it came there, and what is open in it: `hermes sessions where --json`. */
export async function whereDocument({ store, probe }: DocumentParts, id: SessionId) {
  const session = await store.sessions.get(id);
  if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: id });
  const [bindings, readers, turn, { approvals }, { handoffs }, state] = await Promise.all([
    store.bindings.of(id),
    readersOf(store, id),
    store.turns.running(id),
    approvalsDocument(store, id),
    handoffsDocument(store, { sessionId: id, limit: HANDOFFS }),
    store.sessions.keptState(id),
  ]);
  return {
    ...(await listed(store, session)),
    places: await Promise.all(bindings.map((binding) => placeDocument(store, binding))),
    /** Who besides the operator can read it. */
    readers: readers.map(({ where, text }) => ({ where, text })),
    turn: turn && {
      ...{ state: turn.state, waitsFor: turn.waitsFor, place: await lookUpPlace(store, turn.surface) },
      ...{ startedAt: turn.startedAt, holder: holderDocument(turn.holder, probe) },
    },
    /** What its model said of the work at a handoff; null where none did. */
    state,
    way: await wayOfSession(store, id),
    approvals,
    handoffs,
  };
}

async function placeDocument(store: Store, binding: Binding) {
  const { key, conversation, boundAt, usedAt } = binding;
  const name = await nameOfPlace(store, binding);
  return { key, name, boundAt, usedAt, account: accountName(conversation) };
}
