import { safeText } from "../base/hidden-text.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { fenced } from "../markdown/fence.ts";
import { withReadableMarks } from "./mark.ts";
import type { Session } from "./session.ts";
import { isSaid, readableText, shownCall, speakerOf, type TranscriptMessage } from "./transcript.ts";

/**
 * Renders a whole transcript as Markdown for people; safe for a terminal: no control or hidden characters. `paths`: where
 * the files of the messages lie, by hash.
 */
export function transcriptAsMarkdown(
  session: Session,
  messages: readonly TranscriptMessage[],
  paths: ReadonlyMap<string, string> = new Map(),
): string {
  const parts = [`# ${session.title ?? session.id}`];
  for (const message of messages) {
    const { role, text, toolCalls, createdAt } = message;
    parts.push(`## ${speakerOf(message)} (${new Date(createdAt).toISOString()})`);
    if (text.trim() !== "") parts.push(role === "tool" ? fenced(text) : readableText(message));
    for (const file of message.files ?? []) {
      const path = paths.get(file.hash);
      if (path !== undefined) parts.push(`File: [${escapeMarkdown(file.name)}](<${path}>)`);
    }
    for (const call of (toolCalls ?? []).map(shownCall))
      parts.push(`Calls \`${call.name}\`:`, fenced(JSON.stringify(call.input, null, 2)));
  }
  return `${safeText(parts.join("\n\n"))}\n`;
}

/** The maximum length of an earlier transcript, in UTF-16 units: a longer one would hold a handoff up. */
export const MOST_EARLIER = 100_000;

/** Renders the session so far, for a place that shows it; null when nothing was said. Always has the latest message. */
export function earlierAsMarkdown(messages: readonly TranscriptMessage[]): string | null {
  const parts: string[] = [];
  let length = 0;
  for (const message of messages.filter(isSaid).reverse()) {
    if (message.text.trim() === "") continue;
    const part = `**${speakerOf(message)}**\n\n${asTyped(message)}`;
    length += part.length;
    if (length > MOST_EARLIER && parts.length > 0) {
      parts.push("*(What was said before that is in the terminal: `hermes sessions show`.)*");
      break;
    }
    parts.push(part);
  }
  return parts.length === 0 ? null : safeText(parts.reverse().join("\n\n"));
}

/** Keeps the line breaks of a person's message, and escapes its markup. */
export function asTyped(message: TranscriptMessage): string {
  if (message.role !== "user") return readableText(message);
  const lines = withReadableMarks(message.text).split("\n");
  return lines.map((line, at) => (line === "" ? "" : escapeMarkdown(line) + (lines[at + 1] ? "\\" : ""))).join("\n");
}
