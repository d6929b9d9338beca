import { expect, it } from "vitest";
import { outcomeText } from "./approval-text.ts";

const ada = { name: "Ada", author: "terminal" } as const;
const decided = { state: "decided", decidedBy: ada } as const;

it.each([
  [{ state: "open", decision: null, decidedBy: null } as const, "Not answered yet"],
  [{ state: "expired", decision: null, decidedBy: null } as const, "Nobody answered in time"],
  [{ state: "cancelled", decision: null, decidedBy: null } as const, "Withdrawn"],
  [{ ...decided, decision: { kind: "once" } } as const, "Allowed once by Ada"],
  [{ ...decided, decision: { kind: "session" } } as const, "Allowed for this session by Ada"],
  [{ ...decided, decision: { kind: "no" } } as const, "Denied by Ada"],
  [{ ...decided, decision: { kind: "no", word: "use pnpm" } } as const, "Denied by Ada: “use pnpm”"],
  [{ ...decided, decision: { kind: "answer", text: "the second" } } as const, "Answered by Ada: “the second”"],
])("the outcome of a question is said in words (%#)", (approval, text) => {
  expect(outcomeText(approval)).toBe(text);
});
