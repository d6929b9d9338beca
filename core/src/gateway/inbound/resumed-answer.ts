import type { OutboundMessage } from "../../adapter/message.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import { type Approval, closedQuestion } from "../../model/approval.ts";
import type { Session } from "../../model/session.ts";
import type { TurnResult } from "../../turn/turn-runner.ts";
import { type Reader, sessionOf, turnAnswer } from "./turn-answer.ts";

export interface Resumed extends Reader {
  /** The turn's session, if the place leads to another one by now: people are told whose answer it is. */
  readonly session: Session | null;
  /** The questions whose outcome stands nowhere else. */
  readonly decided: readonly Approval[];
}

/** What a turn says that had waited for people; null where it waits again and there is nothing to say. */
export function resumedAnswer(result: TurnResult, { session, decided, ...reader }: Resumed): OutboundMessage | null {
  const answer = turnAnswer(result, reader);
  // Neither the session nor what was asked in it is theirs to read any more.
  if (sessionOf(result) === null) return answer;
  const outcomes = decided.filter(({ state }) => state !== "open").map((approval) => closedQuestion(approval).markdown);
  if (answer === null && outcomes.length === 0) return null;
  const title = session === null ? [] : [`**${escapeMarkdown(session.title ?? session.id)}**`];
  const lines = [...title, ...outcomes, answer?.markdown ?? ""].filter((line) => line !== "");
  return { ...answer, kind: answer?.kind ?? "notice", markdown: lines.join("\n\n") };
}
