import type { Code, List, ListItem, Nodes, RootContent } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { plain, type Span, type Style, span, wrap } from "../markdown/styled-text.ts";
import { columnsOf, visibleText } from "../markdown/text-width.ts";
import { renderInline, type TerminalContext } from "./inline.ts";
import { renderTable } from "./table.ts";

/** The minimum width for wrapping, in columns, however deep a block is nested. */
const NARROWEST = 16;

/** Renders blocks as lines of at most `width` columns, separated by empty lines. Code and addresses may be wider. */
export function renderBlocks(blocks: readonly RootContent[], width: number, context: TerminalContext): string[] {
  const lines: string[] = [];
  for (const block of blocks) {
    const rendered = renderBlock(block, Math.max(width, NARROWEST), context);
    if (rendered.length === 0) continue;
    if (lines.length > 0) lines.push("");
    lines.push(...rendered);
  }
  return lines;
}

function renderBlock(block: RootContent, width: number, context: TerminalContext): string[] {
  const { colors } = context;
  switch (block.type) {
    case "paragraph":
      return wrap(renderInline(block.children, context), width);
    case "heading": {
      const look: Style = block.depth === 1 ? (text) => colors.bold(colors.underline(text)) : colors.bold;
      const hashes: Span[] = colors.isColorSupported ? [] : [span(`${"#".repeat(block.depth)} `)];
      return wrap([...hashes, ...renderInline(block.children, context, look)], width);
    }
    case "list":
      return renderList(block, width, context);
    case "blockquote":
      return renderBlocks(block.children, width - 2, context).map((line) => `${colors.dim("│")} ${line}`.trimEnd());
    case "code":
      return renderCode(block, context);
    case "table":
      return renderTable(block, width, context);
    case "thematicBreak":
      return [colors.dim("─".repeat(Math.min(width, 40)))];
    case "footnoteDefinition":
      return beside(
        `[${block.label ?? block.identifier}] `,
        renderBlocks(block.children, width - 4, context),
        colors.dim,
      );
    default:
      return wrap([span(sourceOf(block))], width);
  }
}

/** The source of a node that is shown literally, such as raw HTML. */
function sourceOf(node: Nodes): string {
  return "value" in node ? node.value : textOf(node);
}

function renderList(list: List, width: number, context: TerminalContext): string[] {
  const first = list.start ?? 1;
  const last = first + list.children.length - 1;
  const bullets = list.children.map((_, at) => (list.ordered ? `${first + at}.`.padStart(`${last}.`.length) : "•"));
  return list.children.flatMap((item, at) => {
    const bullet = `${bullets[at]} ${taskBox(item)}`;
    const lines = renderItem(item, width - columnsOf(bullet), context);
    const gap = at > 0 && (list.spread || item.spread) ? [""] : [];
    return [...gap, ...beside(bullet, lines.length > 0 ? lines : [""], plain)];
  });
}

/** Renders an item. In a tight item, no empty line separates the paragraph and a nested list. */
function renderItem(item: ListItem, width: number, context: TerminalContext): string[] {
  if (item.spread) return renderBlocks(item.children, width, context);
  return item.children.flatMap((child) => renderBlocks([child], width, context));
}

function taskBox(item: ListItem): string {
  if (typeof item.checked !== "boolean") return "";
  return item.checked ? "[x] " : "[ ] ";
}

function renderCode({ lang, value }: Code, context: TerminalContext): string[] {
  const head = lang ? [renderCodeLanguage(lang, context)] : [];
  return [...head, ...value.split(/\r\n?|\n/).map(renderCodeLine)];
}

export function renderCodeLanguage(language: string, { colors }: TerminalContext): string {
  return `  ${colors.dim(visibleText(language).replaceAll("\n", " "))}`;
}

/** Indents a line of code. It is never wrapped, so that people can copy it. */
export function renderCodeLine(line: string): string {
  return line === "" ? "" : `    ${visibleText(line).replaceAll("\n", " ")}`;
}

/** Puts a mark before the first line, and indents the others by its width. */
function beside(mark: string, lines: readonly string[], look: Style): string[] {
  const safe = visibleText(mark);
  const indent = " ".repeat(columnsOf(safe));
  return lines.map((line, at) => (at === 0 ? look(safe) : line === "" ? "" : indent) + line);
}
