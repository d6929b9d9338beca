import { codeSpan } from "../../markdown/escape-markdown.ts";
import { type Approval, offers } from "../../model/approval.ts";
import { askedText } from "../../model/approval-text.ts";

/** Said to somebody who may talk to the agent and presses a choice that is not theirs. */
export const ONLY_OPERATORS = "Only an operator can answer this.";

/** Answers a yes of which nobody can tell what it allows. */
export function howToAllow(open: readonly Approval[], typed: (command: string) => string): string {
  const lines = open.map((approval) => {
    const asked = codeSpan(askedText(approval));
    return offers(approval, "once")
      ? `- ${asked}: \`${typed(`approve ${approval.code}`)}\``
      : `- ${asked}: only in the terminal, because it is cut off here`;
  });
  return ["Nothing is allowed yet, because it is not clear which one you mean. To allow:", lines.join("\n")].join(
    "\n\n",
  );
}

/** Says to whoever wrote a message that it has to wait for a question. `where`: null if it stands above the message. */
export function waitsText(where: string | null, mayAnswer: boolean): string {
  if (where !== null) return `The agent waits for an answer ${where}; your message comes after that.`;
  return mayAnswer
    ? "Answer the question above first; your message comes after it."
    : "Only an operator can answer the question above; your message comes after that.";
}
