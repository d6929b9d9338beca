import type { PhrasingContent } from "mdast";
import { markWords } from "../mark-words.ts";
import { type BlockPart, type Dialect, type LinkParts, markerOf, type TextStyle } from "./dialect.ts";

/** Describes a platform whose formatting is marks in the text. */
export interface TextOptions {
  /** Escapes literal text. */
  escape(text: string, isLineStart: boolean): string;
  /** Escapes text within code; by default, returns it unchanged. */
  escapeCode?(code: string): string;
  readonly marks: Readonly<Record<TextStyle, string>>;
  /**
   * Whether marks work only at the edges of words and within one line, as in most messengers (the default). False for
   * marks that work as in Markdown.
   */
  readonly wordMarks?: boolean;
  /** By depth; deeper lists repeat the last. */
  readonly bullets: readonly string[];
  link(link: LinkParts<string>): string;
}

/** Separates a mark from the word that it touches, and characters that together would be a mark. */
const ZERO_WIDTH_SPACE = "\u200b";

const INDENT = "    ";

/** Nodes that begin and end with a mark. */
const MARKED = new Set<PhrasingContent["type"]>(["strong", "emphasis", "delete", "inlineCode"]);

/** Writes Markdown as text with marks, to be split with {@link splitText}. Nodes without a mark become readable text. */
export function textDialect(options: TextOptions): Dialect<string> {
  const { escapeCode = (code) => code, marks, wordMarks = true, bullets, link } = options;
  const blocks = (parts: readonly BlockPart<string>[]) =>
    parts.flatMap(({ block }) => (block === "" ? [] : [block])).join("\n\n");
  return {
    imageName: "image",
    text: options.escape,
    styled: (style, text) => {
      const mark = marks[style];
      if (wordMarks) return eachLine(text, (line) => markWords(line, mark));
      return text.trim() === "" ? text : mark + text + mark;
    },
    // Code with a backtick cannot be marked as code.
    code: (value) => (value.includes("`") ? escapeCode(value) : `\`${escapeCode(joinLines(value))}\``),
    link,
    phrases: (nodes, write) => {
      const parts: string[] = [];
      let last = "\n";
      let wasMarked = false;
      for (const node of nodes) {
        const text = write(node, last === "\n");
        const isMarked = wordMarks && MARKED.has(node.type);
        if ((isMarked && isWord(last)) || (wasMarked && isWord(text.at(0)))) parts.push(ZERO_WIDTH_SPACE);
        parts.push(text);
        last = text.at(-1) ?? last;
        wasMarked = isMarked;
      }
      return parts.join("");
    },

    paragraph: (text) => text,
    // The language is left out: it would be shown as the first line.
    codeBlock: (value) => `\`\`\`\n${keepFence(escapeCode(value))}\n\`\`\``,
    list: (items, { spread }) => items.join(spread ? "\n\n" : "\n"),
    // The parts of an item are indented below it, except for code blocks and tables, so that people can copy them.
    item: (item) => {
      const [first, ...rest] = item.parts;
      const line = first?.type === "paragraph" ? first.block : "";
      const head = [markerOf(item, bullets), item.box, line].filter((text) => text !== "").join(" ");
      const below = (first?.type === "paragraph" ? rest : item.parts).map(({ type, block }) =>
        type === "code" || type === "table" ? block : eachLine(block, (text) => (text === "" ? "" : INDENT + text)),
      );
      return [head.trimEnd(), ...below].join(item.isSpread ? "\n\n" : "\n");
    },
    quote: (parts) => eachLine(blocks(parts), (line) => `> ${line}`.trimEnd()),
    footnote: (label, text) => `[${options.escape(label, false)}] ${text}`,
    blocks,
  };
}

/** Breaks up runs of three backticks in code, so that they do not end the block. */
export function keepFence(code: string): string {
  return code.replaceAll("```", `\`\`${ZERO_WIDTH_SPACE}\``);
}

/** Replaces each line break, and the spaces around it, by one space. */
export function joinLines(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, " ");
}

function eachLine(text: string, change: (line: string) => string): string {
  return text
    .split(/\r\n?|\n/)
    .map(change)
    .join("\n");
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
