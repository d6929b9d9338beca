import { answerFrom } from "../../command/decide-approval.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { clip } from "../../command/words.ts";
import type { Approval, ApprovalDecision } from "../../model/approval.ts";

type Answerable = Pick<Approval, "kind" | "rules" | "answers">;

/** What a line at a question means. */
export type Answer =
  | { readonly type: "decision"; readonly decision: ApprovalDecision }
  /** No to all that is asked; the words go to the agent. */
  | { readonly type: "words"; readonly text: string }
  | { readonly type: "command"; readonly name: string; readonly argument: string }
  /** Nothing that could be meant. `why` is said; the question stands. */
  | { readonly type: "unclear"; readonly why: string | null };

const WORDS: Readonly<Record<string, "once" | "session" | "always" | "no">> = {
  ...{ y: "once", yes: "once", s: "session", session: "session", a: "always", always: "always", n: "no", no: "no" },
};

const ONCE_ONLY = "This can be allowed once only: y, or n.";

/** Reads a line that was written at a question. */
export function readTypedAnswer(line: string, question: Answerable): Answer {
  const text = line.trim();
  if (text === "") return { type: "unclear", why: null };
  const command = parseCommand(text);
  if (command !== null) return { type: "command", ...command };
  if (question.kind === "question") return { type: "decision", decision: answerFrom(question, text) };
  const kind = WORDS[text.toLowerCase()];
  if (kind === undefined) return { type: "words", text };
  if ((kind === "session" || kind === "always") && question.rules.length === 0) {
    return { type: "unclear", why: ONCE_ONLY };
  }
  return { type: "decision", decision: { kind } };
}

/** Says by which keys a question is answered, or what Enter would do with what is typed by now. */
export function answerHint(line: string, question: Answerable): string {
  const answer = readTypedAnswer(line, question);
  switch (answer.type) {
    case "unclear":
      return answer.why ?? keysOf(question);
    case "command":
      return `Enter: /${answer.name}`;
    case "words":
      return question.kind === "limit" ? "Enter: no" : "Enter: no, and the agent gets these words";
    case "decision":
      return `Enter: ${decisionHint(answer.decision, question)}`;
  }
}

function keysOf({ kind, rules, answers }: Answerable): string {
  if (kind === "question") {
    return answers.length === 0 ? "write your answer" : `1–${answers.length} choose, or write your own answer`;
  }
  if (kind === "limit") return "y go on · n stop here";
  const more = rules.length === 0 ? "" : " · s session · a always";
  return `y once${more} · n no · or write what to do instead`;
}

function decisionHint(decision: ApprovalDecision, { kind, rules }: Answerable): string {
  switch (decision.kind) {
    case "once":
      return kind === "limit" ? "go on" : "allow it once";
    case "session":
      return `allow for this session: ${rules.join(", ")}`;
    case "always":
      return `allow always, by the config: ${rules.join(", ")}`;
    case "no":
      return "no";
    case "answer":
      return `answer “${clip(decision.text, 60)}”`;
  }
}
