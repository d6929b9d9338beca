import { HermesError } from "../base/errors.ts";
import { answerFrom, assertAllowable, decideApproval } from "../command/decide-approval.ts";
import type { Approval, ApprovalDecision, Decider } from "../model/approval.ts";
import type { HandoffId } from "../model/handoff.ts";
import type { OutboxId } from "../model/outbox.ts";
import type { Surface, UserId } from "../model/session.ts";
import type { OverviewAction, OverviewDocument } from "../plugin/operator-overview.ts";
import { userOf } from "../store/current-rights.ts";
import type { Store } from "../store/store.ts";
import { approvalDocument } from "./approval-document.ts";
import { addPerson, removePerson, renamePerson, setRole, unlinkIdentity } from "./change-people.ts";
import { dropDelivery, retryDelivery } from "./deliveries.ts";
import type { DocumentParts } from "./document-parts.ts";
import { handOffAtOnce } from "./hand-off.ts";
import { cancelHandoff } from "./handoffs.ts";
import { approveRequest, denyRequest, findRequest, makeLinkCode, settleClaim } from "./newcomers.ts";
import { revokePass } from "./passes.ts";

/** Whoever acts, and where: a question says who decided it. */
export interface Actor {
  readonly decider: Decider;
  readonly surface: Surface;
}

type Parts = Pick<DocumentParts, "store" | "clock">;

/** Does what an action says, and returns what the command for it prints. Checks no rights. Throws the command's errors. */
export async function actOnOverview(parts: Parts, actor: Actor, action: OverviewAction): Promise<OverviewDocument> {
  const { store } = parts;
  switch (action.do) {
    case "retry-delivery":
      return retryDelivery(store, await deliveryOf(store, action.id), action);
    case "drop-delivery":
      return dropDelivery(store, await deliveryOf(store, action.id));
    case "cancel-handoff":
      return cancelHandoff(store, action.id as HandoffId);
    case "hand-off":
      return handOffAtOnce(parts, action);
    case "add-person":
      return addPerson(store, action);
    case "rename-person":
      return renamePerson(store, action.id as UserId, action.name);
    case "set-role":
      return setRole(store, action.id as UserId, action.role);
    case "remove-person":
      return removePerson(store, action.id as UserId);
    case "unlink":
      return unlinkIdentity(store, action);
    case "make-link-code":
      return makeLinkCode(store, action.id as UserId, await userOf(store, actor.decider.author));
    case "settle-link":
      return settleClaim(store, action.number, action.isThem);
    case "let-in":
      return approveRequest(store, await findRequest(store, String(action.number)));
    case "turn-away":
      return denyRequest(store, await findRequest(store, String(action.number)));
    case "revoke-pass":
      return revokePass(store, String(action.number));
    case "allow": {
      const kind = action.session ? "session" : "once";
      return decide(parts, actor, action.code, (approval) => {
        assertAllowable(approval, kind);
        return { kind };
      });
    }
    case "answer":
      return decide(parts, actor, action.code, (approval) => {
        if (approval.kind === "question") return answerFrom(approval, action.answer);
        throw new HermesError("APPROVAL_UNKNOWN", { code: action.code });
      });
    case "deny": {
      const word = action.why?.trim() ?? "";
      return decide(parts, actor, action.code, () => (word === "" ? { kind: "no" } : { kind: "no", word }));
    }
  }
}

async function deliveryOf(store: Store, id: string) {
  const delivery = await store.deliveries.get(id as OutboxId);
  if (delivery === null) throw new HermesError("DELIVERY_UNKNOWN", { reference: id });
  return delivery;
}

async function decide(
  { store, clock }: Parts,
  actor: Actor,
  code: string,
  choose: (approval: Approval) => ApprovalDecision,
): Promise<OverviewDocument> {
  const approval = await store.approvals.byCode(code);
  if (approval === null) throw new HermesError("APPROVAL_UNKNOWN", { code });
  // Of one that is over it does not matter any more how it could be decided.
  const decision = approval.state === "open" ? choose(approval) : ({ kind: "no" } as const);
  const place = { store, clock, ...actor, goesOnWhereItWas: true };
  const { result } = await decideApproval(place, approval, decision);
  const session = await store.sessions.get(approval.sessionId);
  const { decision: made, decidedBy } = result.approval;
  return {
    ...approvalDocument(result.approval, session?.title ?? null),
    ...{ isDecided: result.state === "decided", decision: made, by: decidedBy?.name ?? null },
  };
}
