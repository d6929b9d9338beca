import type { OutboundMessage, Piece, TextFile } from "@hermes/core";
import { parseMarkdown, type Root } from "@hermes/core/markdown";
import { writeBlocks } from "./format/blocks.ts";
import { type FormattedText, TextWriter } from "./format/formatted-text.ts";
import { splitFormatted } from "./format/split.ts";

/** The messages that say what `message` says: formatted, and cut to what Telegram takes. */
export function render({ markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  return [...splitFormatted(formatTree(root)).map(toPiece), ...files.map(filePiece)];
}

/** A tree of Markdown as Telegram shows it. */
export function formatTree(root: Root): FormattedText {
  const writer = new TextWriter();
  writeBlocks(root.children, writer, 0);
  return writer.finish();
}

function toPiece({ text, entities }: FormattedText): Piece {
  return entities.length > 0 ? { text, extra: { entities } } : { text };
}

/** Telegram takes no empty files. */
function filePiece(file: TextFile): Piece {
  return file.text === "" ? { text: `${file.name} is empty.` } : { text: "", file };
}
