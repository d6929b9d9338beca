import { filePieces, type OutboundMessage, type Piece } from "@hermes/core";
import { parseMarkdown, rangeDialect, renderRanges, splitRanges } from "@hermes/core/markdown";
import { withTapbacks } from "./choices.ts";

/** The server names no limit; longer ones are hard to read on a phone. */
export const TEXT_LIMIT = { length: 4_000, unit: "utf16" } as const;

/** Room for the choices below a question. */
const ASKED_LIMIT = { ...TEXT_LIMIT, length: TEXT_LIMIT.length - 200 };

/** Plain text: the server sends no styles, so none of these is used. */
const dialect = rangeDialect({ styles: { strong: null, emphasis: null, delete: null, code: null } });

/** The messages that say what `message` says, as plain text; the words below a file are a message of their own. */
export function render(
  { markdown, files = [], choices = [] }: OutboundMessage,
  root = parseMarkdown(markdown),
): Piece[] {
  const limit = choices.length > 0 ? ASKED_LIMIT : TEXT_LIMIT;
  const said = splitRanges(renderRanges(root, dialect), limit).map(({ text }): Piece => ({ text }));
  const last = said.pop();
  const asked = last === undefined ? [] : [choices.length > 0 ? withTapbacks(last, choices) : last];
  const sent = filePieces(files).flatMap(({ text, ...piece }): Piece[] => {
    if (piece.file === undefined) return [{ text }];
    return [...(text === "" ? [] : [{ text }]), { ...piece, text: "" }];
  });
  return [...said, ...asked, ...sent];
}
