import type { OutboundMessage, Piece } from "@hermes/core";
import { parseMarkdown, rangeDialect, renderRanges, splitRanges } from "@hermes/core/markdown";

/** The longest text of a message, after formatting. */
export const TEXT_LIMIT = { length: 2000, unit: "utf16" } as const;

/** Acme takes plain text, and beside it what is bold where. It makes links of bare addresses only. */
const dialect = rangeDialect({
  styles: { strong: "bold", emphasis: "italic", delete: "strike", code: "code" },
});

/** The messages that say what `message` says: formatted, and cut to what Acme takes. */
export function render({ markdown }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  return splitRanges(renderRanges(root, dialect), TEXT_LIMIT).map(({ text, ranges }) => ({ text, extra: { ranges } }));
}
