import type { OutboundMessage, Piece } from "@hermes/core";
import { splitText } from "@hermes/core/markdown";

/** The longest text of one message. */
export const TEXT_LIMIT = { length: 64 * 1024, unit: "utf16" } as const;

/** UTF-16 units of a thread's name. */
const LONGEST_NAME = 100;

/** The pieces of a message, as Markdown; the page renders it. Each says how it is shown. */
export function render(message: OutboundMessage): Piece[] {
  const author = message.kind === "answer" ? "agent" : message.kind === "echo" ? (message.author ?? "agent") : "hermes";
  const extra = { kind: message.kind, author, ...(message.place === undefined ? {} : { place: message.place }) };
  return splitText(message.markdown, TEXT_LIMIT).map((text) => ({ text, extra }));
}

/** A thread's name on one line, without characters that cannot be seen, and not too long. */
export function cleanName(name: string): string {
  const line = name
    .toWellFormed()
    // Joiners make one character of several, in names of many languages and in emoji.
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, (run) => (/^[\u200c\u200d]$/.test(run) ? run : " "))
    .trim();
  if (line.length <= LONGEST_NAME) return line || "New thread";
  const [start = ""] = splitText(line, { length: LONGEST_NAME - 1, unit: "utf16" });
  return `${start.trimEnd()}…`;
}
