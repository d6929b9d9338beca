import { expect, it } from "vitest";
import { answerHint, readTypedAnswer } from "./question-answer.ts";

const call = { kind: "call", rules: ["shell(npm test)"], answers: [] } as const;
const control = { ...call, rules: [] };
const question = { kind: "question", rules: [], answers: ["Postgres", "SQLite"] } as const;

it.each([
  ["y", { type: "decision", decision: { kind: "once" } }],
  [" YES ", { type: "decision", decision: { kind: "once" } }],
  ["s", { type: "decision", decision: { kind: "session" } }],
  ["a", { type: "decision", decision: { kind: "always" } }],
  ["n", { type: "decision", decision: { kind: "no" } }],
  ["no, use pnpm", { type: "words", text: "no, use pnpm" }],
  ["yes but first lint", { type: "words", text: "yes but first lint" }],
  ["/mode plan", { type: "command", name: "mode", argument: "plan" }],
  ["", { type: "unclear", why: null }],
])("%j at a question about a call is read as what it means", (line, answer) => {
  expect(readTypedAnswer(line, call)).toEqual(answer);
});

it.each(["s", "a"])("%s does not allow what can be allowed once only", (line) => {
  expect(readTypedAnswer(line, control)).toEqual({ type: "unclear", why: "This can be allowed once only: y, or n." });
  expect(readTypedAnswer("y", control)).toEqual({ type: "decision", decision: { kind: "once" } });
});

it.each([
  ["2", "SQLite"],
  ["3", "3"],
  ["n", "n"],
  ["neither of them", "neither of them"],
])("%j answers the agent's own question", (line, text) => {
  expect(readTypedAnswer(line, question)).toEqual({ type: "decision", decision: { kind: "answer", text } });
});

it("the row above the input names the keys that this question has", () => {
  expect(answerHint("", call)).toBe("y once · s session · a always · n no · or write what to do instead");
  expect(answerHint("", control)).toBe("y once · n no · or write what to do instead");
  expect(answerHint("", question)).toBe("1–2 choose, or write your own answer");
  expect(answerHint("", { ...question, answers: [] })).toBe("write your answer");
});

it("the hint tells what Enter would do, with the exact rule", () => {
  expect(answerHint("y", call)).toBe("Enter: allow it once");
  expect(answerHint("a", call)).toBe("Enter: allow always, by the config: shell(npm test)");
  expect(answerHint("yes but", call)).toBe("Enter: no, and the agent gets these words");
  expect(answerHint("1", question)).toBe("Enter: answer “Postgres”");
});
