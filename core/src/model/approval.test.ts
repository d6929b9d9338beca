import { expect, it } from "vitest";
import { type Approval, choiceIdOf, closedQuestion, readChoiceId, withdrawnQuestion } from "./approval.ts";

const ada = { name: "*Ada*", author: { platform: "pager" } } as Approval["decidedBy"];
const asked = { kind: "call", tool: "shell", summary: "echo `*a*`\nrm b" } as Approval;

it("a question that is over says what was asked, what came of it, and by whom", () => {
  const decided = { ...asked, state: "decided", decidedBy: ada, decision: { kind: "no", word: "_not_ now" } } as const;
  expect(closedQuestion(decided)).toEqual({
    kind: "question",
    markdown: "``shell: echo `*a*` rm b``\n\n**Denied by \\*Ada\\*: “\\_not\\_ now”**",
  });
  const own = { ...decided, kind: "question", summary: "a or *b*?", decision: { kind: "answer", text: "b" } } as const;
  expect(closedQuestion(own).markdown).toBe("a or \\*b\\*?\n\n**Answered by \\*Ada\\*: “b”**");
  const there = { ...decided, decidedBy: { name: "you", author: "terminal" }, decision: { kind: "once" } } as const;
  expect(closedQuestion(there).markdown).toContain("**Allowed once by the operator, in the terminal**");
  expect(closedQuestion({ ...asked, state: "expired", decidedBy: null }).markdown).toContain("Nobody answered in time");
  expect(withdrawnQuestion(asked).markdown).toContain("has left this place");
});

it("a question that is over fits in one message, however long it was", () => {
  const long = { ...asked, summary: "x".repeat(10_000), state: "decided", decidedBy: ada } as const;
  const { markdown } = closedQuestion({ ...long, decision: { kind: "no", word: "y".repeat(10_000) } });
  expect(markdown.length).toBeLessThan(700);
});

it("a choice is read from its id, and nothing else is", () => {
  const approvalId = "0123456789abcdef" as Approval["id"];
  for (const choice of [{ approvalId, verb: "session" } as const, { approvalId, verb: "answer", answer: 2 } as const]) {
    expect(readChoiceId(choiceIdOf(choice))).toEqual(choice);
  }
  for (const id of [
    "always:0123456789abcdef",
    "once:short",
    "answer:0123456789abcdef",
    "once.1:0123456789abcdef",
    "",
  ]) {
    expect(readChoiceId(id)).toBeNull();
  }
});
