import { markWords } from "@hermes/core/markdown";
import { type MarkupNode, parseMarkup } from "./markup.ts";

export type Mark = "*" | "_" | "~";

const SIGN = { bold: "*", italic: "_", strike: "~" } as const;

/** Joins a mark to a word it stands in: marks are seen at the edges of words only. */
const ZERO_WIDTH_SPACE = "\u200b";

/**
 * Text that is to be read as it stands. WhatsApp cannot be told that a mark is none, so what it would take for markup
 * is shown as code, where every character counts.
 */
export function asLiteral(text: string): string {
  if (!/[*_~`]/.test(text)) return text;
  return parseMarkup(text).map(literalOf).join("");
}

function literalOf(node: MarkupNode): string {
  switch (node.type) {
    case "text":
      return node.value;
    case "code":
      return `\`${node.value}\``;
    case "pre":
      return `\`\`\`${node.value}\`\`\``;
    default:
      return node.children.some(hasCode) ? sourceOf(node) : `\`${sourceOf(node)}\``;
  }
}

function hasCode(node: MarkupNode): boolean {
  return "children" in node ? node.children.some(hasCode) : node.type !== "text" || node.value.includes("`");
}

function sourceOf(node: MarkupNode): string {
  if (!("children" in node)) return node.type === "text" ? node.value : literalOf(node);
  return `${SIGN[node.type]}${node.children.map(sourceOf).join("")}${SIGN[node.type]}`;
}

/** Text between marks. Each line gets marks of its own, since no mark reaches over the end of a line. */
export function marked(mark: Mark, text: string): string {
  return text
    .split("\n")
    .map((line) => markWords(line, mark))
    .join("\n");
}

/** Three backticks within a block would end it. */
export function safeCode(code: string): string {
  return code.replaceAll("```", `\`\`${ZERO_WIDTH_SPACE}\``);
}

export interface Phrase {
  readonly text: string;
  /** Whether it begins and ends with a mark. */
  readonly isMarked: boolean;
}

/** Joins phrases so that a mark never stands against a letter. */
export function joinPhrases(phrases: readonly Phrase[]): string {
  const parts: string[] = [];
  let last: string | undefined;
  let wasMarked = false;
  for (const { text, isMarked } of phrases) {
    if ((isMarked && isWord(last)) || (wasMarked && isWord(text.at(0)))) parts.push(ZERO_WIDTH_SPACE);
    parts.push(text);
    last = text.at(-1) ?? last;
    wasMarked = isMarked;
  }
  return parts.join("");
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
