import { filePieces, type OutboundMessage, type Piece } from "@hermes/core";
import {
  joinLines,
  type LinkParts,
  parseMarkdown,
  renderMarkdown,
  splitText,
  textDialect,
} from "@hermes/core/markdown";
import { asLiteral } from "./markup.ts";

/** Characters of a text message ("Text messages"); counted in UTF-16 units here, which are never fewer. */
export const TEXT_LIMIT = { length: 4_096, unit: "utf16" } as const;

/** WhatsApp's own markup ("How to format your messages"). It draws a bullet for `- `, but for a deeper one none. */
export const dialect = textDialect({
  escape: asLiteral,
  marks: { strong: "*", emphasis: "_", delete: "~" },
  bullets: ["-", "◦"],
  link: linkOf,
});

/** The messages that say what `message` says: in WhatsApp's markup, and cut to what it takes. */
export function render({ markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  // A text that is all definitions, say, shows nothing; its source says more than silence.
  const text = renderMarkdown(root, dialect) || markdown.trim();
  // A message has to say something.
  const parts = splitText(text, TEXT_LIMIT).filter((part) => part.trim() !== "");
  return [...parts.map((part) => ({ text: part })), ...filePieces(files)];
}

/** WhatsApp makes a link of an address, and of nothing else. */
function linkOf({ url, label }: LinkParts<string>): string {
  const text = joinLines(label).trim();
  const isBare = [url, url.replace(/^mailto:/, ""), url.replace(/^https?:\/\//, "")].includes(text);
  return text === "" || isBare ? text || url : `${asLiteral(text)} (${url})`;
}
