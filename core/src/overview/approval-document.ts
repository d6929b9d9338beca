import type { Approval } from "../model/approval.ts";

/** A question in a JSON document. */
export function approvalDocument(approval: Approval, title: string | null) {
  const { code, kind, tool, summary, detail, rules, answers, state, askedAt, expiresAt, sessionId, messages } =
    approval;
  return {
    code,
    kind,
    tool,
    summary,
    detail,
    // As Markdown: where, for whom and why it is asked.
    question: messages.at(-1)?.markdown ?? "",
    rules,
    answers,
    state,
    sessionId,
    title,
    askedAt: new Date(askedAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}
