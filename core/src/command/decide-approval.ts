import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Approval, ApprovalDecision } from "../model/approval.ts";
import { askedText, outcomeText } from "../model/approval-text.ts";
import type { DecideApproval, DecideApprovalResult } from "../model/turn.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { unknownCode } from "./find-approval.ts";
import { sayAgo } from "./words.ts";

type Deciding = Pick<CommandContext, "store" | "clock" | "surface" | "decider" | "message"> &
  Pick<DecideApproval, "goesOnWhereItWas">;

/** What came of deciding a question, and what to say of it. */
export interface Decided {
  /** Markdown. */
  readonly text: string;
  readonly result: Extract<DecideApprovalResult, { readonly approval: Approval }>;
}

/** The message that is a command was deleted or edited since it was read: it says something else now, or nothing. */
export class MessageChanged extends Error {}

/** Decides a question; where somebody was quicker, says who decided what. Throws APPROVAL_UNKNOWN and MessageChanged. */
export async function decideApproval(
  { store, clock, surface, goesOnWhereItWas = false, decider, message }: Deciding,
  approval: Approval,
  decision: ApprovalDecision,
): Promise<Decided> {
  const result = await store.approvals.decide({
    ...{ id: approval.id, decision, by: decider, surface, goesOnWhereItWas },
    ...(message && { ...message, isCommand: true }),
  });
  if (result.state === "changed") throw new MessageChanged();
  if (result.state === "unknown") throw unknownCode(approval.code);
  const asked = codeSpan(askedText(result.approval));
  if (result.state === "over") {
    const { decidedAt, decidedOn } = result.approval;
    const when = decidedAt === null ? "" : `, ${sayAgo(clock.now(), decidedAt)}`;
    const where = decidedOn === null ? "" : ` ${escapeMarkdown(await lookUpPlace(store, decidedOn))}`;
    const text = `This was already closed: ${asked}. ${escapeMarkdown(outcomeText(result.approval))}${where}${when}.`;
    return { text, result };
  }
  const more = result.open === 0 ? "" : ` ${stillOpen(result.open)}`;
  return { text: `${decisionText(decision)}: ${asked}.${more}`, result };
}

export function stillOpen(open: number): string {
  return `${count(open, "question")} of this turn ${open === 1 ? "is" : "are"} still open.`;
}

/** Decides several questions, one after the other. */
export async function decideAll(
  place: Deciding,
  approvals: readonly Approval[],
  decision: ApprovalDecision,
): Promise<CommandResult> {
  const lines: string[] = [];
  for (const approval of approvals) lines.push((await decideApproval(place, approval, decision)).text);
  return { reply: lines.join("\n\n") };
}

function decisionText(decision: ApprovalDecision): string {
  return outcomeText({ state: "decided", decision: withoutWords(decision), decidedBy: null });
}

function withoutWords(decision: ApprovalDecision): ApprovalDecision {
  return decision.kind === "no" ? { kind: "no" } : decision;
}

/** Throws APPROVAL_ONCE_ONLY, APPROVAL_NEEDS_ANSWER where a question cannot be decided so. */
export function assertAllowable(approval: Approval, kind: "once" | "session" | "always"): void {
  const { code, rules } = approval;
  const asked = askedText(approval);
  if (approval.kind === "question") throw new HermesError("APPROVAL_NEEDS_ANSWER", { asked, code });
  if (kind !== "once" && rules.length === 0) throw new HermesError("APPROVAL_ONCE_ONLY", { asked, code });
}

/** The answer to a question of the agent: one of those that it offers, by number, or other words. */
export function answerFrom({ answers }: Pick<Approval, "answers">, words: string): ApprovalDecision {
  const text = words.trim();
  const chosen = /^\d{1,2}$/.test(text) ? answers[Number(text) - 1] : undefined;
  return { kind: "answer", text: chosen ?? text };
}
