import type { OutboundMessage, Piece, TextFile } from "@hermes/core";
import { definitionsIn, parseMarkdown } from "@hermes/core/markdown";
import { writeBlocks } from "./format/blocks.ts";
import { type FormattedText, TextWriter } from "./format/formatted-text.ts";
import { splitFormatted } from "./format/split.ts";

/** Characters of a topic's name ("createForumTopic"); counted in UTF-16 units here, which are never fewer. */
const LONGEST_NAME = 128;

/** The messages that say what `message` says: formatted, and cut to what Telegram takes. */
export function render({ markdown, files = [] }: OutboundMessage): Piece[] {
  return [...splitFormatted(formatMarkdown(markdown)).map(toPiece), ...files.map(filePiece)];
}

/** Markdown as Telegram shows it. */
export function formatMarkdown(markdown: string): FormattedText {
  const root = parseMarkdown(markdown.toWellFormed());
  const writer = new TextWriter();
  writeBlocks(root.children, writer, { definitions: definitionsIn(root), depth: 0 });
  return writer.finish();
}

function toPiece({ text, entities }: FormattedText): Piece {
  return entities.length > 0 ? { text, extra: { entities } } : { text };
}

/** Telegram takes no empty files. */
function filePiece(file: TextFile): Piece {
  return file.text === "" ? { text: `${file.name} is empty.` } : { text: "", file };
}

const characters = new Intl.Segmenter();

/** A title as the name of a topic: on one line, without characters that cannot be seen, and cut between characters. */
export function topicName(title: string): string {
  const line = title
    .toWellFormed()
    // Joiners make one character of several, in names of many languages and in emoji.
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, (run) => (/^[\u200c\u200d]$/.test(run) ? run : " "))
    .trim();
  if (line.length <= LONGEST_NAME) return line || "New session";
  let name = "";
  for (const { segment } of characters.segment(line)) {
    if (name.length + segment.length >= LONGEST_NAME) break;
    name += segment;
  }
  return `${name.trimEnd()}…`;
}
