import type { OutboundMessage, Piece } from "@hermes/core";
import {
  type Dialect,
  escapeMarkdown,
  isBareLink,
  keepFence,
  knownLanguage,
  type LinkParts,
  markerOf,
  parseMarkdown,
  renderMarkdown,
  splitText,
  type Table,
  tableText,
  textDialect,
  textOf,
} from "@hermes/core/markdown";
import { MessageFlags } from "discord.js";
import { toRows } from "./choices.ts";

/**
 * The longest content of a message (API reference, "Create Message"). Discord does not say what it counts; a text that
 * fits in UTF-16 units fits whatever it is.
 */
export const TEXT_LIMIT = { length: 2000, unit: "utf16" } as const;

/** Tables up to this width stand aligned, in characters; wider ones would wrap on a phone, and become lists. */
const WIDEST_TABLE = 60;

const FENCE = "```";

const text = textDialect({
  escape: (value, atLineStart) => escapeText(value, { atLineStart }),
  marks: { strong: "**", emphasis: "*", delete: "~~" },
  wordMarks: false,
  bullets: ["-"],
  link: linkOf,
});

/** Discord's own form of Markdown ("Markdown Text 101"). */
export const dialect: Dialect<string> = {
  ...text,
  // One or two backticks stand around code, and none within as many.
  code: (value) => {
    const line = value.replaceAll("\n", " ");
    if (!line.includes("`")) return `\`${line}\``;
    const apart = line.replaceAll(/`(?=`)/g, "`\u200b");
    return `\`\`${apart.startsWith("`") ? " " : ""}${apart}${apart.endsWith("`") ? " " : ""}\`\``;
  },
  // There are three sizes; smaller headings are bold lines.
  heading: (depth, words) => (depth <= 3 ? `${"#".repeat(depth)} ${words().replaceAll("\n", " ")}` : null),
  codeBlock,
  table: (table) => {
    const lines = tableText(table);
    const isNarrow = lines.split("\n").every((line) => line.length <= WIDEST_TABLE);
    return isNarrow ? codeBlock(lines) : rowsOf(table);
  },
  rule: () => "⎯⎯⎯⎯⎯⎯⎯⎯",
  list: (items) => items.join("\n"),
  // A code block's lines would keep the indentation, and its fence would not be seen as one where the text is cut.
  item: ({ parts, box, ...item }) => {
    const bullet = `${markerOf(item, ["-"])} `;
    const indent = " ".repeat(bullet.length);
    const [head = "", ...below] = parts.map(({ block }) =>
      isCode(block) ? block : block.replaceAll("\n", `\n${indent}`),
    );
    const first = `${bullet}${box}${box === "" ? "" : " "}${isCode(head) ? "\n" : ""}${head}`;
    return [first, ...below.map((line) => (isCode(line) ? line : indent + line))].join("\n");
  },
  // Quotes do not nest, and a code block within one could not be cut: it stands below.
  quote: (parts) =>
    parts
      .map(({ type, block }) =>
        type === "blockquote" || block.includes(FENCE) ? block : block.replaceAll(/^/gm, "> "),
      )
      .join("\n"),
};

/** Markdown in Discord's own form, cut into messages, and its files. The texts of the pieces join to the whole. */
export function render(
  { kind, markdown, files = [], choices }: OutboundMessage,
  root = parseMarkdown(markdown),
): Piece[] {
  // A link in a line of Hermes' own is not worth a preview that is longer than the line.
  const flags = kind === "answer" ? {} : { flags: MessageFlags.SuppressEmbeds };
  const extraOf = (isLast: boolean) => ({ ...flags, ...(isLast && choices && { components: toRows(choices) }) });
  const texts = splitText(renderMarkdown(root, dialect), TEXT_LIMIT).filter((part) => part.trim() !== "");
  return [
    ...texts.map((part, index): Piece => {
      const extra = extraOf(index === texts.length - 1);
      return Object.keys(extra).length > 0 ? { text: part, extra } : { text: part };
    }),
    ...files.map((file): Piece => ({ text: escapeMarkdown(file.caption ?? ""), file })),
  ];
}

/** Discord shows a link behind a text only when the text does not itself look like an address. */
function linkOf({ url, label, shown }: LinkParts<string>): string {
  const address = url.replaceAll(/[\s<>]/g, encodeURIComponent);
  if (isBareLink({ url, label })) return label === url ? address : label;
  const words = shown();
  if (!/^https?:/i.test(url)) return words === "" ? escapeText(address) : `${words} (${escapeText(address)})`;
  if (words === "" || /:\/\/|^www\./i.test(label)) return `${words} (<${address}>)`.trim();
  return `[${words.replaceAll(/[[\]]/g, "\\$&")}](${address.replaceAll(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"))})`;
}

/** Discord ends a block at the first three backticks, however it began: those within are kept apart. */
function codeBlock(value: string, language: string | null = null): string {
  return `${FENCE}${knownLanguage(language) ?? ""}\n${keepFence(value)}\n${FENCE}`;
}

function isCode(block: string): boolean {
  return block.startsWith(FENCE);
}

/** A row as a line of its first cell, and a list of the others by their heads. */
function rowsOf({ children: [head, ...rows] }: Table): string {
  const names = head?.children.map((cell) => escapeText(textOf(cell))) ?? [];
  const shown = (name: string | undefined, value: string) => (name ? `${name}: ${value}` : value);
  if (rows.length === 0) return names.join(" · ");
  return rows
    .map(({ children: [first, ...cells] }) => {
      const title = `**${escapeText(textOf(first ?? { type: "text", value: "" })) || "–"}**`;
      return [title, ...cells.map((cell, at) => `- ${shown(names[at + 1], escapeText(textOf(cell)))}`)].join("\n");
    })
    .join("\n\n");
}

/**
 * Text as it is, for a message of Discord's: nothing in it is markup (Discord's help page "Markdown Text 101"). No more
 * is escaped than has to be, so that what people copy reads well.
 */
function escapeText(text: string, { atLineStart = false }: { readonly atLineStart?: boolean } = {}): string {
  let escaped = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isMarkup(text, at)) continue;
    escaped += `${text.slice(from, at)}\\`;
    from = at;
  }
  escaped += text.slice(from);
  return escapeLinks(escaped).replaceAll(LINE_START, (all, space: string, mark: string, at: number) =>
    at > 0 || atLineStart ? escapeStart(space, mark) : all,
  );
}

function isMarkup(text: string, at: number): boolean {
  switch (text[at]) {
    case "\\":
    case "*":
    case "`":
      return true;
    case "~":
    case "|":
      return text[at - 1] === text[at] || text[at + 1] === text[at];
    case "_":
      // Within a word it is no markup.
      return !isWord(text[at - 1]) || !isWord(text[at + 1]);
    case "<":
      ADDRESSED.lastIndex = at;
      return ADDRESSED.test(text);
    default:
      return false;
  }
}

function isWord(character = ""): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

/** Mentions, emoji, times and addresses. */
const ADDRESSED = /<(?=[@#:]|a:|t:|id:|https?:|\/[^<>\n]*:\d+>)/y;

const LINE_START = /^([ \t]*)(#{1,3}(?= )|>(?=[ >])|-(?= |# )|\+(?= )|\d+(?=\. ))/gm;

/** What stands in brackets before an address would be a link. */
function escapeLinks(text: string): string {
  if (!text.includes("](")) return text;
  const parts = text.split("]");
  return parts.map((part, at) => (parts[at + 1]?.startsWith("(") ? part.replaceAll("[", "\\[") : part)).join("]");
}

function escapeStart(space: string, mark: string): string {
  // A backslash before a digit would be shown: the point behind it is what makes the list.
  return /^\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`;
}
