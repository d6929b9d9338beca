import type { PhrasingContent } from "mdast";
import { markWords } from "../mark-words.ts";
import { type BlockPart, type Dialect, type LinkParts, markerOf, type TextStyle } from "./dialect.ts";

/** A platform whose formatting is marks in the text. */
export interface TextOptions {
  /** Text to be read as it stands, as the platform has to be sent it. */
  escape(text: string, isLineStart: boolean): string;
  /** The same for text within code; as it is unless given. */
  escapeCode?(code: string): string;
  readonly marks: Readonly<Record<TextStyle, string>>;
  /**
   * Whether marks count at the edges of words and within one line only, as most messengers have it. False is for marks as
   * Markdown has them.
   */
  readonly wordMarks?: boolean;
  /** By the depth of the list; deeper ones repeat the last. */
  readonly bullets: readonly string[];
  link(link: LinkParts<string>): string;
}

/** Joins a mark to a word it stands in, or keeps what together would be a mark apart. */
const ZERO_WIDTH_SPACE = "\u200b";

const INDENT = "    ";

/** What has a mark at its beginning and its end. */
const MARKED = new Set<PhrasingContent["type"]>(["strong", "emphasis", "delete", "inlineCode"]);

/** Markdown as text with marks in it, to be cut with {@link splitText}: what there is no mark for reads well as text. */
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
    // There is no way to write a backtick within code.
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
    // Without its language, which would be shown as the first line.
    codeBlock: (value) => `\`\`\`\n${keepFence(escapeCode(value))}\n\`\`\``,
    list: (items, { spread }) => items.join(spread ? "\n\n" : "\n"),
    // What belongs to an item stands below it, indented; a code block is not, since its lines are to be copied.
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

/** Code whose own runs of three backticks end no block. */
export function keepFence(code: string): string {
  return code.replaceAll("```", `\`\`${ZERO_WIDTH_SPACE}\``);
}

/** Text with a space for each line break, and for the spaces around it. */
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
