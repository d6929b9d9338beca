import type { OutboundMessage } from "../adapter/message.ts";
import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { TakeAlongRefusal } from "./ask.ts";
import { withReadableMarks } from "./mark.ts";
import type { TranscriptMessage } from "./transcript.ts";

/** The longest quotation of a message, in UTF-16 units. */
const QUOTED = 300;

/** Why nothing was taken along. */
export const NOT_TAKEN_ALONG: Readonly<Record<TakeAlongRefusal, string>> = {
  "at-work": "The agent is at work in that session. Try again when its answer is there.",
  asked: "A question of the agent is open here. Answer it first, then try again.",
  "handed-off": "A handoff is under way. Try again when it has arrived.",
  elsewhere: "This chat leads to another session by now, so nothing of it was taken along.",
};

/** Says what stays in the session that a place led to before, because a tool had run in it. */
export function takenAlongNotice(
  title: string,
  said: readonly Pick<TranscriptMessage, "role" | "text">[],
): OutboundMessage {
  const quoted = said
    .filter(({ role, text }) => (role === "user" || role === "assistant") && text.trim() !== "")
    .map(({ text }) => `> ${escapeMarkdown(shorten(oneLine(withReadableMarks(text)), QUOTED))}`);
  const lines = [
    `You are in **${escapeMarkdown(title)}** now. The agent had used a tool for what you wrote here before, so that stays in its own session:`,
    quoted.join("\n>\n"),
  ];
  return { kind: "notice", markdown: lines.join("\n\n") };
}
