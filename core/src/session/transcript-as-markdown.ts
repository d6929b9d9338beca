import { fenced } from "../markdown/fenced.ts";
import type { Session } from "./session.ts";
import type { TranscriptMessage } from "./transcript.ts";

/** A whole transcript as a document that a person reads. */
export function transcriptAsMarkdown(session: Session, messages: readonly TranscriptMessage[]): string {
  const parts = [`# ${session.title ?? session.id}`];
  for (const { role, text, toolCalls, internal, createdAt } of messages) {
    const speaker = internal ? "hermes" : role === "user" ? "you" : role === "assistant" ? "agent" : "tool";
    parts.push(`## ${speaker} (${new Date(createdAt).toISOString()})`);
    if (text.trim() !== "") parts.push(role === "tool" ? fenced(text) : text);
    for (const call of toolCalls ?? [])
      parts.push(`Calls \`${call.name}\`:`, fenced(JSON.stringify(call.input, null, 2)));
  }
  return `${parts.join("\n\n")}\n`;
}
