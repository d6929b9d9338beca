import {
  type Code,
  type List,
  type ListItem,
  type RootContent,
  type Table,
  tableText,
  textOf,
} from "@hermes/core/markdown";
import { escapeText } from "./escape.ts";
import { type InlineContext, renderInline } from "./format-inline.ts";

/** Tables up to this width stand aligned, in characters; wider ones would wrap on a phone, and become lists. */
const WIDEST_TABLE = 60;

const RULE = "⎯⎯⎯⎯⎯⎯⎯⎯";

/** Blocks of Markdown with an empty line between them. */
export function renderBlocks(blocks: readonly RootContent[], context: InlineContext): string {
  return blocks
    .map((block) => renderBlock(block, context))
    .filter((text) => text !== "")
    .join("\n\n");
}

function renderBlock(block: RootContent, context: InlineContext): string {
  switch (block.type) {
    case "paragraph":
      return renderInline(block.children, context);
    case "heading":
      return renderHeading(block.depth, block.children, context);
    case "code":
      return renderCode(block);
    case "list":
      return renderList(block, context);
    case "blockquote":
      return renderQuote(block.children, context);
    case "table":
      return renderTable(block);
    case "thematicBreak":
      return RULE;
    case "footnoteDefinition":
      return `[${escapeText(block.label ?? block.identifier)}] ${renderBlocks(block.children, context)}`;
    default:
      return escapeText("value" in block ? block.value : textOf(block), { atLineStart: true });
  }
}

/** Discord knows three sizes; smaller headings are bold lines. */
function renderHeading(depth: number, children: Parameters<typeof renderInline>[0], context: InlineContext): string {
  if (depth <= 3) return `${"#".repeat(depth)} ${renderInline(children, context).replaceAll("\n", " ")}`;
  return renderInline([{ type: "strong", children: [...children] }], context);
}

/** Discord ends a block at the first three backticks, however it began: those within are kept apart. */
function renderCode({ lang, value }: Pick<Code, "lang" | "value">): string {
  const language = lang && /^[\w+#.-]+$/.test(lang) ? lang : "";
  return `\`\`\`${language}\n${value.replaceAll("```", "``\u200b`")}\n\`\`\``;
}

function renderTable(table: Table): string {
  const text = tableText(table);
  const isNarrow = text.split("\n").every((line) => line.length <= WIDEST_TABLE);
  return isNarrow ? renderCode({ value: text }) : renderRows(table);
}

/** A row as a line of its first cell, and a list of the others by their heads. */
function renderRows({ children: [head, ...rows] }: Table): string {
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

function renderList(list: List, context: InlineContext): string {
  const first = list.start ?? 1;
  return list.children.map((item, at) => renderItem(item, list.ordered ? `${first + at}. ` : "- ", context)).join("\n");
}

function renderItem(item: ListItem, bullet: string, context: InlineContext): string {
  const box = typeof item.checked === "boolean" ? (item.checked ? "☑ " : "☐ ") : "";
  const indent = " ".repeat(bullet.length);
  const lines = item.children.map((child) => {
    const text = renderBlock(child, context);
    // A code block's lines would keep the indentation, and its fence would not be seen as one where the text is cut.
    return text.startsWith("```") ? text : text.replaceAll("\n", `\n${indent}`);
  });
  const [start = "", ...rest] = lines;
  const head = start.startsWith("```") ? `${bullet}${box}\n${start}` : `${bullet}${box}${start}`;
  return [head, ...rest.map((line) => (line.startsWith("```") ? line : indent + line))].join("\n");
}

/** Quotes do not nest in Discord, and a code block within one could not be cut: it stands below. */
function renderQuote(children: readonly RootContent[], context: InlineContext): string {
  return children
    .map((child) => {
      const text = child.type === "blockquote" ? renderQuote(child.children, context) : renderBlock(child, context);
      if (child.type === "blockquote" || text.includes("```")) return text;
      return text.replaceAll(/^/gm, "> ");
    })
    .join("\n");
}
