import type { InboundMessage } from "../../adapter/message.ts";
import { type Approval, type ApprovalDecision, offers, type ShownApproval } from "../../model/approval.ts";
import type { InboxRow } from "../../model/inbox.ts";
import { withoutMarks } from "../../model/mark.ts";

/** What a message says to the questions that are open where it was written. */
export type TypedAnswer =
  /** It answers one of them. */
  | { readonly kind: "decision"; readonly approval: Approval; readonly decision: ApprovalDecision }
  /** It says something else: that refuses whatever is open. */
  | { readonly kind: "other"; readonly approval: Approval }
  /** It says yes, and nobody can tell to what; or to what cannot be allowed here. */
  | { readonly kind: "unclear"; readonly approvals: readonly Approval[] };

const YES = new Set(["yes", "y", "ok", "1"]);
const NO = new Set(["no", "n", "2"]);

/**
 * Whether a message can answer a question at all. What somebody passes on, edits or has a bot write never does, and
 * neither does what Hermes cannot read.
 */
export function canAnswer({
  sender,
  text,
  isEdit,
  quotes = [],
  items = [],
  attachments = [],
}: InboundMessage): boolean {
  if (isEdit || sender.isBot || quotes.length > 0) return false;
  return text.trim() !== "" || items.length > 0 || attachments.length > 0;
}

/**
 * Reads a message as the answer to the open questions of one turn, all of them shown where it was written. One word decides
 * only where a single question is open, the platform had it before the message, and Hermes has said nothing else there
 * since. Null where the message is older than each of them.
 */
export function readAnswer(
  { message, receivedAt }: Pick<InboxRow, "message" | "receivedAt">,
  open: readonly ShownApproval[],
): TypedAnswer | null {
  // By the platform's clock, and by Hermes' own: where that one is slow, a message may seem to be newer than it is.
  const isAsked = ({ approval, shownAt }: ShownApproval) =>
    shownAt !== null && shownAt < message.sentAt && approval.askedAt <= receivedAt;
  const asked = open.filter(isAsked);
  const [first] = asked;
  if (first === undefined) return null;
  const { approval } = first;
  const isOnly = open.length === 1;
  const word = plainWord(message);
  const isClear = isOnly && first.isLatest;

  if (isOnly && approval.kind === "question") {
    const answer = (isClear && chosenBy(word, approval)) || withoutMarks(message.text).trim();
    return { kind: "decision", approval, decision: { kind: "answer", text: answer } };
  }
  if (word !== null && YES.has(word)) {
    if (isClear && offers(approval, "once")) return { kind: "decision", approval, decision: { kind: "once" } };
    return { kind: "unclear", approvals: open.map((shown) => shown.approval) };
  }
  if (isClear && word !== null && NO.has(word)) return { kind: "decision", approval, decision: { kind: "no" } };
  return { kind: "other", approval };
}

/** The answer that the agent's question names under a number. */
function chosenBy(word: string | null, { answers }: Approval): string | undefined {
  return word !== null && /^\d{1,2}$/.test(word) ? answers[Number(word) - 1] : undefined;
}

/** A message of one word and nothing else, in lower case; null for any other. */
function plainWord({ text, refersTo, items = [], attachments = [] }: InboundMessage): string | null {
  // A reply to the last thing that Hermes said is handed over without its reference.
  if (refersTo !== undefined || items.length > 0 || attachments.length > 0) return null;
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!)]+$/, "");
  return /^\w+$/.test(word) ? word : null;
}
