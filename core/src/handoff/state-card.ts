import type { OutboundMessage } from "../adapter/message.ts";
import type { Handoff } from "../model/handoff.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Session } from "../model/session.ts";
import { describeSession, renderStateCard } from "../model/session-state.ts";
import type { KeptState } from "../model/work-state.ts";
import { type ReadFromCompaction, readFromCompaction } from "../store/read-from-compaction.ts";
import type { Store } from "../store/store.ts";
import type { Destination } from "./destination.ts";

/** What people at a destination see of a session: what was said of its work, or what its transcript shows. */
export async function stateCard(
  store: Store,
  session: Session,
  { compaction, messages }: ReadFromCompaction,
  kept?: KeptState,
): Promise<OutboundMessage> {
  const questions = await store.approvals.open(session.id);
  const state = describeSession(
    session,
    messages,
    questions,
    kept ?? (await store.sessions.keptState(session.id)),
    compaction?.facts,
  );
  return { kind: "card", markdown: renderStateCard(state) };
}

/**
 * Has the card of a handoff show what its answer said of the work. Nothing where the platform cannot edit: then `/status`
 * shows it.
 */
export async function cardEdit(
  { store, destination: { adapter } }: { readonly store: Store; readonly destination: Destination },
  handoff: Handoff,
  work: KeptState | undefined,
): Promise<NewOutboxEntry[]> {
  const session = work === undefined || !adapter.edit ? null : await store.sessions.get(handoff.sessionId);
  if (session === null) return [];
  const rows = await store.outbox.ofHandoff(handoff.id);
  const card = rows.find(({ kind }) => kind === "card");
  if (card === undefined) return [];
  const { key, conversation, id: edits } = card;
  const message = await stateCard(store, session, await readFromCompaction(store, session.id), work);
  // The handoff is delivered without it.
  return [{ key, conversation, sessionId: session.id, handoffId: null, edits, message }];
}
