import { describe, expect, it } from "vitest";
import type { InboundMessage } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { type Approval, type ApprovalId, choiceIdOf, type ShownApproval } from "../../model/approval.ts";
import { canAnswer, readAnswer } from "./read-answer.ts";

const HOME = { platform: "p", chatId: "home", kind: "dm" } as const;

function message(text: string, more: Partial<InboundMessage> = {}): InboundMessage {
  return { conversation: HOME, messageId: "in-1", sender: { id: "ada" }, text, sentAt: 2_000, ...more };
}

function received(text: string, more: Partial<InboundMessage> = {}, receivedAt = 2_100) {
  return { message: message(text, more), receivedAt };
}

function shown(
  more: Partial<ShownApproval> = {},
  { id = "approval_1_of_this_turn" as ApprovalId, ...asked }: Partial<Approval> = {},
): ShownApproval {
  const verbs = asked.kind === "question" ? [] : (["once", "no"] as const);
  const choices = verbs.map((verb) => ({
    id: choiceIdOf({ approvalId: id, verb }),
    label: verb,
    style: "plain" as const,
  }));
  const approval = {
    ...{ id, kind: "call", askedAt: 900, answers: [], messages: [{ kind: "question", markdown: "May it?", choices }] },
    ...asked,
  } as unknown as Approval;
  return { approval, key: buildSessionKey(HOME), shownAt: 1_000, isLatest: true, ...more };
}

describe("a message that is just", () => {
  it.each(["yes", "YES", " y ", "ok.", "Ok!", "1", "1)"])("“%s” allows the only question once", (text) => {
    expect(readAnswer(received(text), [shown()])).toMatchObject({ kind: "decision", decision: { kind: "once" } });
  });

  it.each(["no", "N", "2", "no."])("“%s” refuses the only question", (text) => {
    expect(readAnswer(received(text), [shown()])).toMatchObject({ kind: "decision", decision: { kind: "no" } });
  });

  it.each(["yes please", "yes, but quietly", "3", "ok ok", "sure"])("“%s” is neither yes nor no", (text) => {
    expect(readAnswer(received(text), [shown()])).toMatchObject({ kind: "other" });
  });
});

describe("a yes allows nothing", () => {
  it.each([
    ["two questions are open", [shown(), shown({}, { id: "approval_2_of_this_turn" as ApprovalId })]],
    ["Hermes has said something since", [shown({ isLatest: false })]],
    ["the call could not be shown whole", [shown({}, { messages: [{ kind: "question", markdown: "Too long" }] })]],
  ])("a yes allows nothing if %s", (_, open) => {
    expect(readAnswer(received("yes"), open)).toMatchObject({ kind: "unclear" });
  });

  it.each([
    ["replies to another message", { refersTo: { isOwn: true, text: "Shall I?" } }],
    ["comes with a file", { attachments: [{ name: "a.txt", mediaType: "text/plain", size: 1 }] }],
  ])("a yes allows nothing if it %s", (_, more) => {
    expect(readAnswer(received("yes", more), [shown()])).toMatchObject({ kind: "other" });
  });

  it.each([
    ["came before the question", { shownAt: 2_000 }],
    ["came while nobody knew whether the question had arrived", { shownAt: null }],
  ])("a yes is no answer if it %s", (_, more) => {
    expect(readAnswer(received("yes"), [shown(more)])).toBeNull();
  });
});

it("a message that Hermes had before it asked answers nothing, whatever clocks say", () => {
  expect(readAnswer(received("yes", { sentAt: 5_000 }, 800), [shown()])).toBeNull();
});

describe("the agent's own question", () => {
  const asked = (more: Partial<ShownApproval> = {}) => [shown(more, { kind: "question", answers: ["Green", "Black"] })];

  it.each([
    ["2", "Black"],
    ["3", "3"],
    ["yes", "yes"],
    ["Coffee, please.", "Coffee, please."],
  ])("“%s” answers it with “%s”", (text, answer) => {
    expect(readAnswer(received(text), asked())).toMatchObject({ decision: { kind: "answer", text: answer } });
  });

  it("a number is a word like any other once Hermes has said something else", () => {
    expect(readAnswer(received("2"), asked({ isLatest: false }))).toMatchObject({ decision: { text: "2" } });
  });

  it("words beside another question refuse both", () => {
    expect(readAnswer(received("Green"), [...asked(), shown()])).toMatchObject({ kind: "other" });
  });
});

it.each([
  ["an edit", { isEdit: true }],
  ["a bot's", { sender: { id: "bot", isBot: true } }],
  ["a forward", { quotes: [{ kind: "forward" as const, text: "yes" }] }],
  ["a sticker", { text: "", unreadable: "sticker" as const }],
])("a message that is %s answers nothing", (_, more) => {
  expect(canAnswer(message("yes"))).toBe(true);
  expect(canAnswer(message("yes", more as Partial<InboundMessage>))).toBe(false);
});
