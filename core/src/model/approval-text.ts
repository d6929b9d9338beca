import type { Approval } from "./approval.ts";

/** What is asked, on one line of plain text: `shell: npm test`; of the agent's own question, the question. */
export function askedText({ kind, tool, summary }: Pick<Approval, "kind" | "tool" | "summary">): string {
  return kind === "call" ? `${tool}: ${summary}` : summary;
}

/** What became of a question, as plain text that begins a sentence and has no full stop: `Allowed once by Ada`. */
export function outcomeText({
  state,
  decision,
  decidedBy,
}: Pick<Approval, "state" | "decision" | "decidedBy">): string {
  if (state === "open") return "Not answered yet";
  if (state === "expired") return "Nobody answered in time";
  if (state === "cancelled" || decision === null) return "Withdrawn";
  const by = decidedBy === null ? "" : ` by ${decidedBy.name}`;
  switch (decision.kind) {
    case "once":
      return `Allowed once${by}`;
    case "session":
      return `Allowed for this session${by}`;
    case "always":
      return `Allowed always${by}`;
    case "no":
      return decision.word ? `Denied${by}: “${decision.word}”` : `Denied${by}`;
    case "answer":
      return `Answered${by}: “${decision.text}”`;
  }
}
