import { oneLine } from "../base/one-line.ts";
import { fenced } from "../markdown/fenced.ts";
import type { InboundMessage } from "../platform/message.ts";
import type { SessionKey } from "../platform/session-key.ts";
import type { NewMessage } from "../session/transcript.ts";

/**
 * What the transcript keeps of a message from a platform. Names that people chose themselves are quoted data on one
 * line, so that nobody speaks through his name.
 */
export function userMessage(message: InboundMessage, surface: SessionKey, text = message.text): NewMessage {
  const parts: string[] = [];
  const { sender, conversation } = message;
  if (conversation.kind === "group") parts.push(`[from ${quote(sender.name ?? sender.id)}]`);
  parts.push(text);
  for (const { name, mediaType, size, text: content } of message.attachments ?? []) {
    const label = `[attached: ${quote(name)}, ${oneLine(mediaType)}, ${size} bytes]`;
    parts.push(content === undefined ? label : `${label}\n${fenced(content)}`);
  }
  return { role: "user", text: parts.filter((part) => part !== "").join("\n"), surface };
}

function quote(name: string): string {
  return JSON.stringify(oneLine(name).slice(0, 80));
}
