import { randomBytes } from "node:crypto";
import type { Choice, OutboundMessage } from "../adapter/message.ts";
import { withNumbers } from "../base/hidden-text.ts";
import { oneLine } from "../base/one-line.ts";
import { withoutLookalikes } from "../base/redact.ts";
import { shorten } from "../base/shorten.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import { type ApprovalId, choiceIdOf, type NewApproval } from "../model/approval.ts";
import type { ToolCall } from "../model/transcript.ts";
import type { TurnAuthor } from "../model/turn.ts";
import type { CallQuestion } from "./plan-call.ts";
import { shownSummary } from "./run-tool.ts";

/** The longest detail that is shown in a chat, in UTF-16 units: who cannot see a call whole cannot allow it there. */
const MOST_SHOWN = 12_000;

const LETTERS = "bcdfghjkmnpqrstvwxz";
const CODE_LENGTH = 5;

/** What is said about a call besides the call itself. */
export interface Circumstances {
  readonly host: string;
  readonly directory: string | null;
  /** The message that the turn answers, for people. */
  readonly request: string;
  /** Whether others read where it is asked: then nothing is allowed for longer than once. */
  readonly isShared: boolean;
  readonly detail: string;
  /** Who wrote it; null where nobody did. */
  readonly author: TurnAuthor | null;
  /** How long the question waits for its answer, in milliseconds; null: for ever. */
  readonly ttlMs: number | null;
}

/** The same question by another code. */
export function withNewCode(approval: NewApproval): NewApproval {
  const code = newCode();
  const messages = approval.messages.map((message) => ({
    ...message,
    markdown: message.markdown.replaceAll(`(code ${approval.code})`, `(code ${code})`),
  }));
  return { ...approval, code, messages };
}

/** Makes the durable question for a call: what it says at every place, and by what it is answered. */
export async function askAbout(
  call: ToolCall,
  { tool, input, verdict, digest }: CallQuestion,
  circumstances: Circumstances,
): Promise<NewApproval> {
  const id = randomBytes(16).toString("base64url") as ApprovalId;
  const code = newCode();
  const asked = tool.asks?.(input);
  const kind = asked === undefined ? "call" : "question";
  const question = withoutLookalikes(asked?.question ?? "");
  const summary = oneLine(withNumbers(question || (await shownSummary(call, [tool])) || tool.name));
  const addable = circumstances.isShared ? [] : (verdict?.addable ?? []);
  const rules = addable.join().length > MOST_RULES ? [] : addable;
  const answers = asked?.answers ?? [];
  const detail = withoutLookalikes(withNumbers(circumstances.detail));
  const about = { id, code, summary, detail, rules, answers };
  const messages =
    asked === undefined
      ? callMessages(about, tool.name, verdict?.why ?? "", circumstances)
      : [questionMessage(about, question)];
  return { ...about, callId: call.id, kind, tool: tool.name, digest, messages, ttlMs: circumstances.ttlMs };
}

export function newCode(): string {
  return [...randomBytes(CODE_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
}

/** The longest rules that a chat offers for the rest of a session: they are shown whole. */
const MOST_RULES = 500;

function forSession(rules: readonly string[]): string {
  return rules.length === 0
    ? ""
    : `“This session” allows ${rules.map((rule) => codeSpan(withNumbers(rule))).join(", ")} from now on. `;
}

type About = Pick<NewApproval, "id" | "code" | "summary" | "detail" | "rules" | "answers">;

function callMessages(
  { id, code, summary, detail, rules }: About,
  tool: string,
  why: string,
  { host, directory, request, author }: Circumstances,
): OutboundMessage[] {
  const isWhole = detail.length <= MOST_SHOWN;
  const isOneLine = detail.trim() === "" || detail.trim() === summary;
  const shown: OutboundMessage[] = isOneLine
    ? []
    : [{ kind: "notice", markdown: fenced(isWhole ? detail : `${shorten(detail, MOST_SHOWN)}\n[cut]`) }];
  const lines = [
    `**May the agent use ${escapeMarkdown(tool)}?**`,
    fenced(summary),
    [
      `On ${escapeMarkdown(host)}`,
      ...(directory === null ? [] : [`in ${codeSpan(oneLine(withNumbers(directory)))}`]),
      "without a sandbox",
    ].join(", ") +
      `, for “${escapeMarkdown(shorten(oneLine(withNumbers(request)), 80))}”${writtenBy(author)}. It asks because ${escapeMarkdown(withNumbers(why))}.`,
    isWhole
      ? `Answer yes or no (code ${code}). ${forSession(rules)}Anything else you write means no.`
      : `It is too long to show here in full, so it cannot be allowed here. To read and allow it, open the session in a terminal: \`hermes resume\` (code ${code}). Anything you write here means no.`,
  ];
  const choice = (verb: "once" | "session" | "no", label: string, style: Choice["style"]): Choice => {
    return { id: choiceIdOf({ approvalId: id, verb }), label, style };
  };
  const choices = [
    ...(isWhole ? [choice("once", "Allow once", "primary")] : []),
    ...(isWhole && rules.length > 0 ? [choice("session", "This session", "plain")] : []),
    choice("no", "No", "danger"),
  ];
  return [...shown, { kind: "question", markdown: lines.join("\n\n"), choices }];
}

function writtenBy(author: TurnAuthor | null): string {
  if (author === null) return "";
  return author === "terminal" ? " (typed in the terminal)" : ` (written on ${escapeMarkdown(author.platform)})`;
}

function questionMessage({ id, code, answers }: About, question: string): OutboundMessage {
  const listed = answers.map((answer, at) => `${at + 1}. ${escapeMarkdown(oneLine(withNumbers(answer)))}`).join("\n");
  const how =
    answers.length === 0 ? `Write your answer (code ${code}).` : `Choose, or write your own answer (code ${code}).`;
  return {
    kind: "question",
    markdown: [escapeMarkdown(withNumbers(question)), ...(listed === "" ? [] : [listed]), how].join("\n\n"),
    choices: answers.map((answer, at) => ({
      id: choiceIdOf({ approvalId: id, verb: "answer", answer: at }),
      label: oneLine(withNumbers(answer)),
      style: "plain",
    })),
  };
}

/** Text in a code block that nothing in it can end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
