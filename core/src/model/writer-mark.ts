import { mark } from "./mark.ts";

/** A name in quotes and the sign behind it, as it stands in the mark of who wrote; and whether it is an operator's. */
const WRITER = /^⟦(from|asked again by) "(?:[^"\\⟦⟧]|\\.)*"(?: #[0-9a-f]{6})?(, the operator)?⟧\n?/;

const NO_TOOLS = "who may not use tools";

/** Makes the mark of who wrote a message, or had it asked again. `writer`: the name as JSON, and a sign. */
export function writerMark(did: "from" | "asked again by", writer: string, isOperator: boolean): string {
  return mark(`${did} ${writer}${isOperator ? ", the operator" : ""}`);
}

/** Whose words a user message of the transcript is, by the mark before them; null without one. */
export function writtenBy(text: string): "operator" | "guest" | null {
  const found = WRITER.exec(text);
  return found === null ? null : found[2] === undefined ? "guest" : "operator";
}

/**
 * The text of a user message with what a guest wrote as quoted data. What an operator had asked again is a guest's
 * still.
 */
export function withGuestsWordsQuoted(text: string): string {
  // Most have no mark, and whole transcripts go through here.
  if (!text.startsWith("⟦")) return text;
  const [head, did, isOperator] = WRITER.exec(text) ?? [];
  if (head === undefined) return text;
  const rest = text.slice(head.length);
  if (isOperator === undefined)
    return [`${head.trimEnd().slice(0, -1)}, ${NO_TOOLS}⟧`, ...quotedLines(rest)].join("\n");
  return did === "from" ? text : `${head}${withGuestsWordsQuoted(rest)}`;
}

/** A guest's message without a mark, from a private chat, as quoted data. */
export function quotedGuest(text: string): string {
  return [mark(`from somebody ${NO_TOOLS}`), ...quotedLines(text)].join("\n");
}

/** The lines of a text, each behind a sign of quotation, whatever separates them. */
export function quotedLines(text: string): string[] {
  const lines = text === "" ? [] : text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  return lines.map((line) => `> ${line}`);
}
