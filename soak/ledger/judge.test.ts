import { beforeEach, describe, expect, it } from "vitest";
import { answerText } from "../marks.ts";
import type { PlatformName } from "../plan/acts.ts";
import { type Judgement, judge } from "./judge.ts";
import { Ledger } from "./ledger.ts";

const TOKEN = "q-tg-00001";
const PLACE = "chat";

let ledger: Ledger;
let now: number;
let shown: { readonly place: string; readonly id: string; readonly isBot: boolean; readonly text: string }[];

beforeEach(() => {
  now = 0;
  shown = [];
  ledger = new Ledger(() => now);
  ask(TOKEN);
});

function ask(token: string, platform: PlatformName = "telegram"): void {
  now++;
  ledger.taken(ledger.ask(token, platform, PLACE), "1");
}

/** Lets people see one more message of the bot, or another text of one that is there. */
function show(text: string, id = `m${shown.length}`): void {
  now++;
  shown = [...shown.filter((message) => message.id !== id), { place: PLACE, id, isBot: true, text }];
  ledger.see("telegram", shown);
}

function verdict({
  knowsFate = false,
  listed = [],
  unsure = [],
  mayStandBeside = false,
  of = TOKEN,
}: {
  readonly knowsFate?: boolean;
  readonly listed?: readonly string[];
  readonly unsure?: readonly string[];
  readonly mayStandBeside?: boolean;
  readonly of?: string;
} = {}): Judgement | undefined {
  const judged = judge(ledger, {
    knowsFate: () => knowsFate,
    listed: new Set(listed),
    unsure: new Set(unsure),
    toldInTerminal: new Set(),
    mayStandBeside: () => mayStandBeside,
  });
  return judged.find(({ asked }) => asked.token === of);
}

const short = (answer: number, token = TOKEN) => answerText(token, { paragraphs: 1 }, answer);
const [first = "", second = "", third = ""] = answerText(TOKEN, { paragraphs: 3 }, 1).split("\n\n");

describe("an answer", () => {
  it("counts a message as answered once if shown once, in any number of edits", () => {
    show(first.slice(0, 20), "draft");
    show(`${first}\n\n${second}`, "draft");
    show(third);
    expect(verdict()).toMatchObject({ verdict: "answered", fault: null, hasBeginning: false });
  });

  it("counts although it was removed later with its thread", () => {
    show(short(1));
    ledger.see("telegram", []);
    expect(verdict()).toMatchObject({ verdict: "answered", fault: null });
  });

  it("counts wherever on its platform it was shown, and on no other", () => {
    ledger.see("telegram", [{ place: "another chat", id: "1", isBot: true, text: short(1) }]);
    expect(verdict()?.verdict).toBe("answered");
    ask("q-sl-00001", "slack");
    ledger.see("telegram", [{ place: "another chat", id: "2", isBot: true, text: short(2, "q-sl-00001") }]);
    expect(verdict({ of: "q-sl-00001" })?.verdict).toBe("lost");
  });
});

describe("a planted loss is found", () => {
  it("a loss is found where there is no answer at all", () => {
    expect(verdict()).toMatchObject({ verdict: "lost", fault: expect.stringMatching(/no answer/) });
  });

  it("a loss is found where a person only wrote the answer's words", () => {
    ledger.see("telegram", [{ place: PLACE, id: "1", isBot: false, text: short(1) }]);
    expect(verdict()?.verdict).toBe("lost");
  });

  it("a loss is found where one of several messages is missing", () => {
    show(first);
    show(third);
    expect(verdict()).toMatchObject({ verdict: "lost", fault: expect.stringMatching(/only a part/) });
  });

  it("a loss is found where an answer stays half said", () => {
    show(`${first}\n\n${second}`, "draft");
    expect(verdict()?.verdict).toBe("lost");
  });

  it("a loss is found where half of the answer came from one turn, half from another", () => {
    const again = answerText(TOKEN, { paragraphs: 3 }, 2).split("\n\n");
    show(`${first}\n\n${second}`);
    show(again[2] ?? "");
    expect(verdict()?.verdict).toBe("lost");
  });
});

describe("a planted double is found", () => {
  it("a double is found where the same answer stands there twice", () => {
    show(short(1));
    show(short(1));
    expect(verdict()).toMatchObject({ verdict: "doubled", fault: expect.stringMatching(/part 1 of 1.*twice/) });
  });

  it("a double is found where one of two answers is gone again", () => {
    show(short(1));
    ledger.see("telegram", []);
    shown = [];
    show(short(1), "another");
    expect(verdict()?.verdict).toBe("doubled");
  });

  it("a double is found where a message was answered by two turns", () => {
    show(short(1));
    show(short(2));
    expect(verdict()).toMatchObject({ verdict: "doubled", fault: "it was answered twice" });
  });

  it("counts as answered once when it was said anew because its thread was removed", () => {
    show(short(1));
    ledger.remove("telegram", PLACE);
    shown = [{ place: "new thread", id: "again", isBot: true, text: short(1) }];
    ledger.see("telegram", shown);
    expect(verdict()?.verdict).toBe("answered");
  });

  it("a double is found where one part of a long answer came twice", () => {
    for (const text of [first, second, second, third]) show(text);
    expect(verdict()?.verdict).toBe("doubled");
  });

  it("a double is found where the notice stands above another message's answer", () => {
    show("This may not have reached you before:");
    ask("q-tg-00002");
    show(short(3, "q-tg-00002"));
    show(short(3, "q-tg-00002"));
    expect(verdict({ of: "q-tg-00002", unsure: ["q-tg-00002"] })?.verdict).toBe("doubled");
  });

  it("below a notice where nobody was unsure of it", () => {
    show(short(1));
    show("This may not have reached you before:");
    show(short(1));
    expect(verdict()?.verdict).toBe("doubled");
  });
});

describe("what is told", () => {
  it("a message shown again below the notice is uncertain and offered", () => {
    show(short(1));
    show("This may not have reached you before:");
    show(short(1));
    expect(verdict({ unsure: [TOKEN] })).toMatchObject({ verdict: "uncertain", fault: null });
    expect(verdict({ unsure: [TOKEN], knowsFate: true })?.fault).toMatch(/could have been known/);
  });

  it("a message is told when Hermes asks to send this very message again", () => {
    show(`Hermes stopped while it worked on “${TOKEN} Where does this stand?”. Send it again if you still want it.`);
    expect(verdict()?.verdict).toBe("told");
  });

  it("a session titled after a message says nothing about the message", () => {
    show(`Before, this chat talked to “${TOKEN} Where does this stand?”.`);
    expect(verdict()?.verdict).toBe("lost");
  });

  it("a notice that names no message is about the oldest open one of its place", () => {
    ask("q-tg-00002");
    show("This session is in the terminal: its handoff did not succeed. `/new` starts another one here.");
    expect([verdict(), verdict({ of: "q-tg-00002" })].map((one) => one?.verdict)).toEqual(["told", "lost"]);
  });

  it("a message is refused when its answer is in the undelivered list", () => {
    expect(verdict({ listed: [TOKEN] })).toMatchObject({ verdict: "refused", fault: null });
  });
});

it("first words above the whole answer are a fault where an edit could complete them", () => {
  show(`${first}\n\n${second.slice(0, 40)}`);
  for (const text of [first, second, third]) show(text);
  expect(verdict()).toMatchObject({ verdict: "answered", hasBeginning: true, fault: null });
  expect(verdict({ knowsFate: true })?.fault).toMatch(/beginning/);
  expect(verdict({ knowsFate: true, mayStandBeside: true })?.fault).toBeNull();
});
