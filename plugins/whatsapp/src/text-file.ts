import { type Attachment, decodeText } from "@hermes/core";

/** The file with its text, where `content` is text. */
export function withText(file: Attachment, content: Uint8Array): Attachment {
  const text = decodeText(content);
  return { ...file, size: content.length, ...(text !== null && { text }) };
}
