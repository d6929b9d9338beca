import { safeText } from "../base/hidden-text.ts";
import { fenced } from "../markdown/fenced.ts";
import type { Session } from "./session.ts";
import { speakerOf, type TranscriptMessage } from "./transcript.ts";

/** A whole transcript as a document that a person reads, in a terminal too: nothing in it steers one or hides. */
export function transcriptAsMarkdown(session: Session, messages: readonly TranscriptMessage[]): string {
  const parts = [`# ${session.title ?? session.id}`];
  for (const message of messages) {
    const { role, text, toolCalls, createdAt } = message;
    parts.push(`## ${speakerOf(message)} (${new Date(createdAt).toISOString()})`);
    if (text.trim() !== "") parts.push(role === "tool" ? fenced(text) : text);
    for (const call of toolCalls ?? [])
      parts.push(`Calls \`${call.name}\`:`, fenced(JSON.stringify(call.input, null, 2)));
  }
  return `${safeText(parts.join("\n\n"))}\n`;
}
