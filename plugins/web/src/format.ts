import type { OutboundMessage, Piece } from "@hermes/core";
import { splitText } from "@hermes/core/markdown";

/** The longest text of one message. */
export const TEXT_LIMIT = { length: 64 * 1024, unit: "utf16" } as const;

/** Splits a message into pieces of Markdown, which the page renders. `extra` says how each is shown. */
export function render(message: OutboundMessage): Piece[] {
  const author = message.kind === "answer" ? "agent" : message.kind === "echo" ? (message.author ?? "agent") : "hermes";
  const extra = { kind: message.kind, author, ...(message.place === undefined ? {} : { place: message.place }) };
  const texts = splitText(message.markdown, TEXT_LIMIT);
  const last = message.choices ? { ...extra, choices: message.choices } : extra;
  return texts.map((text, at) => ({ text, extra: at === texts.length - 1 ? last : extra }));
}
