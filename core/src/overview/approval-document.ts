import type { Approval } from "../model/approval.ts";

/** A question in a JSON document. */
export function approvalDocument(approval: Approval, title: string | null) {
  const { code, kind, tool, summary, detail, rules, answers, state, askedAt, expiresAt, sessionId } = approval;
  return {
    code,
    kind,
    tool,
    summary,
    detail,
    rules,
    answers,
    state,
    sessionId,
    title,
    askedAt: new Date(askedAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}
