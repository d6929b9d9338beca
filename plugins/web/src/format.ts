import { filePieces, type OutboundMessage, type Piece } from "@hermes/core";
import { escapeMarkdown, splitText } from "@hermes/core/markdown";

/** The longest text of one message. */
export const TEXT_LIMIT = { length: 64 * 1024, unit: "utf16" } as const;

/** Splits a message into pieces of Markdown, which the page renders, and its files. `extra` says how each is shown. */
export function render(message: OutboundMessage): Piece[] {
  const author = message.kind === "answer" ? "agent" : message.kind === "echo" ? (message.author ?? "agent") : "hermes";
  const extra = {
    kind: message.kind,
    author,
    ...(message.place === undefined ? {} : { place: message.place }),
    ...(message.until === undefined ? {} : { until: message.until }),
  };
  const texts = splitText(message.markdown, TEXT_LIMIT);
  const last = message.choices ? { ...extra, choices: message.choices } : extra;
  const pieces = texts.map((text, at) => ({ text, extra: at === texts.length - 1 ? last : extra }));
  const files = filePieces(message.files ?? []).map((piece) => ({ ...piece, text: escapeMarkdown(piece.text), extra }));
  return [...pieces, ...files];
}
