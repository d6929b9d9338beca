import { filePieces, type OutboundMessage, type Piece, shorten } from "@hermes/core";
import {
  joinLines,
  type LinkParts,
  parseMarkdown,
  renderMarkdown,
  splitText,
  textDialect,
} from "@hermes/core/markdown";
import { asLiteral } from "./markup.ts";

/** The longest text message in characters ("Text messages"); counted in UTF-16 units, which are never fewer. */
export const TEXT_LIMIT = { length: 4_096, unit: "utf16" } as const;

/** The longest caption of a file in characters, with room for what escapes it ("Document messages": 1,024). */
const LONGEST_CAPTION = 1_000;

/** WhatsApp's own markup ("How to format your messages"). It draws bullets for `- `, but not for nested ones. */
export const dialect = textDialect({
  escape: asLiteral,
  marks: { strong: "*", emphasis: "_", delete: "~" },
  bullets: ["-", "◦"],
  link: linkOf,
});

/** Formats a message in WhatsApp's markup, and splits it at WhatsApp's limit. */
export function render({ markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  // A text without visible content, such as link definitions only, is sent as its source.
  const text = renderMarkdown(root, dialect) || markdown.trim();
  // WhatsApp accepts no empty message.
  const parts = splitText(text, TEXT_LIMIT).filter((part) => part.trim() !== "");
  return [...parts.map((part) => ({ text: part })), ...filePieces(files).map(withCaption)];
}

/** The caption of a file, as plain text. */
function withCaption(piece: Piece): Piece {
  return { ...piece, text: asLiteral(shorten(piece.text, LONGEST_CAPTION)) };
}

/** Writes a link with its address, since WhatsApp links nothing else. */
function linkOf({ url, label }: LinkParts<string>): string {
  const text = joinLines(label).trim();
  const isBare = [url, url.replace(/^mailto:/, ""), url.replace(/^https?:\/\//, "")].includes(text);
  return text === "" || isBare ? text || url : `${asLiteral(text)} (${url})`;
}
