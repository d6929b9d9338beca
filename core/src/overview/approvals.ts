import type { Approval } from "../model/approval.ts";
import { placeName } from "../model/place-name.ts";
import type { SessionId } from "../model/session.ts";
import { nameOfPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import { approvalDocument } from "./approval-document.ts";

/** The questions that wait for an answer, of a session or of all, oldest first: `hermes approvals --json`. */
export async function approvalsDocument(store: Store, sessionId?: SessionId) {
  const open = await store.approvals.open(sessionId);
  const approvals = open.map(async (approval) => {
    const session = await store.sessions.get(approval.sessionId);
    return { ...approvalDocument(approval, session?.title ?? null), places: await placesOfApproval(store, approval) };
  });
  return { approvals: await Promise.all(approvals) };
}

/** Where a question is shown, for people. */
export async function placesOfApproval(store: Store, { id, sessionId, turnId }: Approval): Promise<string[]> {
  const turn = await store.turns.get(turnId);
  const shown = turn?.surface === "terminal" ? [placeName("terminal")] : [];
  for (const { key, conversation } of await store.bindings.of(sessionId)) {
    const here = await store.approvals.shownAt(key);
    if (here.some(({ approval }) => approval.id === id)) shown.push(await nameOfPlace(store, { key, conversation }));
  }
  return shown;
}
