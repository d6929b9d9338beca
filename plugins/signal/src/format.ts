import type { OutboundMessage, Piece, TextFile } from "@hermes/core";
import { parseMarkdown, type Root } from "@hermes/core/markdown";
import { writeBlocks } from "./format/blocks.ts";
import { splitStyled } from "./format/split.ts";
import { type StyledText, StyledWriter } from "./format/styled-text.ts";

/** The messages that say what `message` says: styled, and cut to what Signal takes. */
export function render({ markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  return [...splitStyled(formatTree(root)).map(toPiece), ...files.map(filePiece)];
}

/** A tree of Markdown as Signal shows it. */
export function formatTree(root: Root): StyledText {
  const writer = new StyledWriter();
  writeBlocks(root.children, writer, 0);
  return writer.finish();
}

/** Styles as signal-cli takes them: `start:length:STYLE` (signal-cli(1), send, `--text-style`). */
function toPiece({ text, ranges }: StyledText): Piece {
  const textStyles = ranges.map(({ start, length, style }) => `${start}:${length}:${style}`);
  return textStyles.length > 0 ? { text, extra: { textStyles } } : { text };
}

function filePiece(file: TextFile): Piece {
  return file.text === "" ? { text: `${file.name} is empty.` } : { text: "", file };
}
