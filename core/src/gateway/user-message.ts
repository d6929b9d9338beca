import { oneLine, shortName } from "../base/one-line.ts";
import { fenced } from "../markdown/fenced.ts";
import type { Attachment, InboundMessage, Quote } from "../platform/message.ts";
import type { SessionKey } from "../platform/session-key.ts";
import { mark, withoutMarks } from "../session/mark.ts";
import type { NewMessage } from "../session/transcript.ts";

/**
 * What the transcript keeps of a message from a platform: the sender's words, and in marks that people cannot write
 * what Hermes knows of it. Names that people chose themselves are quoted data on one line.
 */
export function userMessage(message: InboundMessage, surface: SessionKey, text = message.text): NewMessage {
  const { sender, conversation, quotes = [], attachments = [] } = message;
  const parts = [
    conversation.kind === "group" ? mark(`from ${quoteName(shortName(sender.name ?? "") || sender.id)}`) : "",
    withoutMarks(text),
    ...quotes.map(quoted),
    ...attachments.map(attached),
  ];
  return { role: "user", text: parts.filter((part) => part !== "").join("\n"), surface };
}

function quoted({ text, writer, origin }: Quote): string {
  const by = writer === undefined ? "" : `, written by ${quoteName(writer)}`;
  const where = origin === undefined ? "" : `, from ${quoteName(origin)}`;
  const said = withoutMarks(text).trim();
  const lines = said === "" ? [] : said.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  return [mark(`forwarded${by}${where}`), ...lines.map((line) => `> ${line}`)].join("\n");
}

function attached({ name, mediaType, size, text }: Attachment): string {
  const label = mark(`attached: ${quoteName(name)}, ${oneLine(mediaType)}, ${size} bytes`);
  return text === undefined ? label : `${label}\n${fenced(withoutMarks(text))}`;
}

function quoteName(name: string): string {
  return JSON.stringify(shortName(name));
}
