import { HermesError } from "../../base/errors.ts";
import { answerFrom, assertAllowable, decideApproval, stillOpen } from "../../command/decide-approval.ts";
import { sayAgo } from "../../command/words.ts";
import type { Host } from "../../host/host.ts";
import { type Approval, type ApprovalDecision, AT_THE_TERMINAL } from "../../model/approval.ts";
import { askedText, outcomeText } from "../../model/approval-text.ts";
import { approvalDocument } from "../../overview/approval-document.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import type { CliContext } from "../context.ts";

/** `hermes approvals allow` */
export function allowApproval(
  context: CliContext,
  code: string,
  answer: readonly string[],
  { session = false }: { readonly session?: boolean },
): Promise<number> {
  return decide(context, code, (approval) => {
    if (approval.kind === "question" && answer.length > 0) return answerFrom(approval, answer.join(" "));
    const kind = session ? "session" : "once";
    assertAllowable(approval, kind);
    return { kind };
  });
}

/** `hermes approvals deny` */
export function denyApproval(context: CliContext, code: string, why: readonly string[]): Promise<number> {
  const word = why.join(" ").trim();
  return decide(context, code, () => (word === "" ? { kind: "no" } : { kind: "no", word }));
}

/** Returns 1 where it was decided before. */
function decide(context: CliContext, code: string, choose: (approval: Approval) => ApprovalDecision): Promise<number> {
  const { output } = context;
  return context.withHost(
    async (host) => {
      const { store, clock } = host;
      const approval = await store.approvals.byCode(code);
      if (approval === null) throw new HermesError("APPROVAL_UNKNOWN", { code });
      const place = { store, clock, surface: "terminal", decider: AT_THE_TERMINAL } as const;
      // Of one that is over it does not matter any more how it could be decided.
      const decision = approval.state === "open" ? choose(approval) : ({ kind: "no" } as const);
      const { result } = await decideApproval({ ...place, goesOnWhereItWas: true }, approval, decision);
      const session = await store.sessions.get(approval.sessionId);
      const isDecided = result.state === "decided";
      const next = isDecided ? await whatFollows(host, result.approval, result.open) : null;
      output.document({
        ...approvalDocument(result.approval, session?.title ?? null),
        ...{ isDecided, decision: result.approval.decision, by: result.approval.decidedBy?.name ?? null, next },
      });
      output.line(
        isDecided ? `${outcomeText(result.approval)} (${askedText(approval)}).` : await wasOver(host, result.approval),
      );
      if (next !== null) output.line(next);
      return isDecided ? 0 : 1;
    },
    { needsConfig: false },
  );
}

async function wasOver({ store, clock }: Host, approval: Approval): Promise<string> {
  const { decidedAt, decidedOn } = approval;
  const where = decidedOn === null ? "" : ` ${await lookUpPlace(store, decidedOn)}`;
  const when = decidedAt === null ? "" : `, ${sayAgo(clock.now(), decidedAt)}`;
  return `This was over before (${askedText(approval)}): ${outcomeText(approval)}${where}${when}.`;
}

/** Says who goes on with the turn. */
async function whatFollows(
  { store, probe }: Host,
  { turnId, sessionId }: Approval,
  open: number,
): Promise<string | null> {
  if (open > 0) return `${stillOpen(open)} \`hermes approvals\` lists what is open.`;
  const turn = await store.turns.get(turnId);
  if (turn === null) return null;
  const resume = `\`hermes resume ${sessionId}\``;
  if (turn.surface === "terminal") {
    return probe.fate(turn.holder) === "alive"
      ? `The terminal that asked goes on with it, if the session is still open there; else ${resume} does.`
      : `It goes on when the session is opened: ${resume}.`;
  }
  const binding = await store.bindings.get(turn.surface);
  const platform = binding?.conversation.platform;
  const gateways = await store.gateways.alive();
  const isServed = gateways.some(({ platforms }) => platforms.some((one) => one.platform === platform && !one.standby));
  const where = await lookUpPlace(store, turn.surface);
  return isServed
    ? `The gateway goes on with it ${where}.`
    : `It goes on ${where} when a gateway serves that: \`hermes gateway\`; here, ${resume} does.`;
}
