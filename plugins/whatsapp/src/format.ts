import type { OutboundMessage, Piece } from "@hermes/core";
import { parseMarkdown, splitText } from "@hermes/core/markdown";
import { toMarkup } from "./write-markup.ts";

/** Characters of a text message ("Text messages"); counted in UTF-16 units here, which are never fewer. */
export const TEXT_LIMIT = { length: 4_096, unit: "utf16" } as const;

/** The messages that say what `message` says: in WhatsApp's markup, and cut to what it takes. */
export function render({ markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  // A text that is all definitions, say, shows nothing; its source says more than silence.
  const text = toMarkup(root) || markdown.trim();
  const pieces: Piece[] = splitText(text, TEXT_LIMIT)
    // A message has to say something.
    .filter((part) => part.trim() !== "")
    .map((part) => ({ text: part }));
  return [
    ...pieces,
    ...files.map((file): Piece => (file.text === "" ? { text: `${file.name} is empty.` } : { text: "", file })),
  ];
}
