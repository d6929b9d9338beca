import { filePieces, type OutboundMessage, type Piece } from "@hermes/core";
import { parseMarkdown, rangeDialect, renderRanges, splitRanges } from "@hermes/core/markdown";

/**
 * The longest text of a message, after formatting, in bytes of UTF-8. Clients drop a message with more than 2,048 without
 * a word ("MAX_INLINE_BODY_SIZE_BYTES"); signal-cli, from 2,000 on in older versions, puts the whole text into a file of
 * which clients show the beginning.
 */
export const TEXT_LIMIT = { length: 2000, unit: "bytes" } as const;

/** Signal's styles ("TextStyle"; there is also SPOILER, which Markdown has not). It makes links of bare addresses only. */
export const dialect = rangeDialect({
  styles: { strong: "BOLD", emphasis: "ITALIC", delete: "STRIKETHROUGH", code: "MONOSPACE" },
});

/** The messages that say what `message` says: styled, and cut to what Signal takes. */
export function render({ markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  const pieces = splitRanges(renderRanges(root, dialect), TEXT_LIMIT).map(({ text, ranges }): Piece => {
    // As signal-cli takes them (signal-cli(1), send, `--text-style`).
    const textStyles = ranges.map(({ start, length, style }) => `${start}:${length}:${style}`);
    return textStyles.length > 0 ? { text, extra: { textStyles } } : { text };
  });
  return [...pieces, ...filePieces(files)];
}
