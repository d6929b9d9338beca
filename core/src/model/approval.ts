import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import { askedText, outcomeText } from "./approval-text.ts";
import type { LimitRaise } from "./limit.ts";
import type { SessionId, Surface } from "./session.ts";
import type { ToolCall } from "./transcript.ts";
import type { TurnAuthor, TurnId } from "./turn.ts";

/** At least 80 random bits: whoever knows it, and may decide, can decide by it. */
export type ApprovalId = Branded<"ApprovalId">;

/**
 * A durable question of a turn that waits: may a call run (`call`), what the agent asks by itself (`question`), or whether
 * the turn goes on beyond a limit of what may be used (`limit`).
 */
export interface Approval {
  readonly id: ApprovalId;
  /** What people type: `/approve k3mxp`. Unique among all approvals of the last 30 days. */
  readonly code: string;
  readonly turnId: TurnId;
  readonly sessionId: SessionId;
  readonly callId: ToolCall["id"];
  readonly kind: "call" | "question" | "limit";
  readonly tool: string;
  /** One line: `npm test`, `src/a.ts +3 −1`, or the agent's question. */
  readonly summary: string;
  /** The whole of what is asked, as plain text; empty where the summary says it all. */
  readonly detail: string;
  /** What was shown to people: the digest of input, resolved subjects and, for writes, the file's content. */
  readonly digest: string;
  /** The rules that would allow the call; empty where none would, so that it can be allowed once only. */
  readonly rules: readonly string[];
  /** The answers of a `question` to choose from; empty otherwise. */
  readonly answers: readonly string[];
  /** The messages that ask, in order; the last has the choices. Queued at each place that is to show it. */
  readonly messages: readonly OutboundMessage[];
  readonly state: ApprovalState;
  readonly decision: ApprovalDecision | null;
  readonly decidedBy: Decider | null;
  /** Milliseconds since 1970, like all times here; null while it is open. */
  readonly decidedAt: number | null;
  readonly decidedOn: Surface | null;
  readonly askedAt: number;
  /** Null: never. */
  readonly expiresAt: number | null;
}

export type ApprovalState = "open" | "decided" | "expired" | "cancelled";

export type ApprovalDecision =
  | { readonly kind: "once" | "session" | "always" }
  /** `word`: why, in the person's own words. */
  | { readonly kind: "no"; readonly word?: string | undefined }
  /** The answer to a `question`: one of its `answers`, or other words. */
  | { readonly kind: "answer"; readonly text: string };

export interface Decider {
  /** As people know them: `Ada`, or `you` in the terminal. */
  readonly name: string;
  readonly author: TurnAuthor;
}

export type NewApproval = Pick<
  Approval,
  "id" | "code" | "callId" | "kind" | "tool" | "summary" | "detail" | "digest" | "rules" | "answers" | "messages"
> & {
  /** Milliseconds until it expires; null: never. */
  readonly ttlMs: number | null;
  /** What a yes allows beyond a limit, in the step that decides it; only of a `limit`. */
  readonly raises?: LimitRaise | undefined;
};

/** Where an open approval is shown, and since when as the platform has it; null while that is not known. */
export interface ShownApproval {
  readonly approval: Approval;
  readonly key: SessionKey;
  readonly shownAt: number | null;
  /** Hermes has said nothing there since, but for notices: none of them asks anything. */
  readonly isLatest: boolean;
}

/** What a choice means. Its id is `<verb>:<approval>`, or `answer.<number>:<approval>`. */
export interface ApprovalChoice {
  readonly approvalId: ApprovalId;
  readonly verb: "once" | "session" | "no" | "answer";
  /** Which of the approval's `answers`, from 0. */
  readonly answer?: number;
}

export function choiceIdOf({ approvalId, verb, answer }: ApprovalChoice): string {
  return `${verb}${answer === undefined ? "" : `.${answer}`}:${approvalId}`;
}

/** Null for what is no choice of an approval. */
export function readChoiceId(choiceId: string): ApprovalChoice | null {
  const [, verb, answer, approvalId] = /^(once|session|no|answer)(?:\.(\d{1,2}))?:([\w-]{16,60})$/.exec(choiceId) ?? [];
  if (verb === undefined || approvalId === undefined || (verb === "answer") !== (answer !== undefined)) return null;
  return {
    ...{ approvalId: approvalId as ApprovalId, verb: verb as ApprovalChoice["verb"] },
    ...(answer === undefined ? {} : { answer: Number(answer) }),
  };
}

/** The longest quotation in a closed question, in UTF-16 units: it has to fit in one message everywhere. */
const QUOTED = 300;

/** What a question becomes when it is over: what was asked, what came of it, and by whom. */
export function closedQuestion(approval: Approval): OutboundMessage {
  return questionThatIsOver(approval, outcomeOf(approval));
}

/** What a question becomes at a place that its session has left. */
export function withdrawnQuestion(approval: Approval): OutboundMessage {
  return questionThatIsOver(approval, "Not asked here any more: the session has left this place.");
}

function questionThatIsOver(approval: Approval, outcome: string): OutboundMessage {
  const asked = shorten(oneLine(askedText(approval)), QUOTED);
  const shown = approval.kind === "call" ? codeSpan(asked) : escapeMarkdown(asked);
  return { kind: "question", markdown: `${shown}\n\n${outcome}` };
}

function outcomeOf(approval: Approval): string {
  const { decidedBy } = approval;
  // What is "you" at the terminal is somebody else elsewhere.
  const by = decidedBy?.author === "terminal" ? { ...decidedBy, name: "the operator, in the terminal" } : decidedBy;
  return `**${said(outcomeText({ ...approval, decidedBy: by }))}**`;
}

/** Tells the place of a turn that nobody answered. `isBound`: whether that place still leads to its session. */
export function unansweredNotice(approvals: readonly Approval[], isBound: boolean): OutboundMessage {
  const asked = approvals.map(({ summary }) => `“${said(summary)}”`).join(", ");
  const again = isBound ? " /retry asks again." : "";
  return { kind: "notice", markdown: `Nobody answered ${asked} in time, so nothing more was done.${again}` };
}

function said(text: string): string {
  return escapeMarkdown(shorten(oneLine(text), QUOTED));
}

/** Whether people are offered a choice: what could not be shown whole is not to be allowed. */
export function offers({ id, messages }: Pick<Approval, "id" | "messages">, verb: ApprovalChoice["verb"]): boolean {
  const choiceId = choiceIdOf({ approvalId: id, verb });
  return messages.some(({ choices = [] }) => choices.some((choice) => choice.id === choiceId));
}

/** The person at the terminal, as the one who decides about a question. */
export const AT_THE_TERMINAL: Decider = { name: "you", author: "terminal" };
