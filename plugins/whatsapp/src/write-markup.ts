import {
  type List,
  type ListItem,
  type Nodes,
  type PhrasingContent,
  type Root,
  type RootContent,
  tableText,
  textOf,
} from "@hermes/core/markdown";
import { asLiteral, joinPhrases, type Mark, marked, safeCode } from "./literal.ts";

interface Context {
  /** The styles that are on: WhatsApp has no style within itself. */
  readonly styles: readonly Mark[];
  readonly depth: number;
}

const INDENT = "    ";

/** A tree of Markdown in WhatsApp's own markup; what WhatsApp has no markup for is shown as text that reads well. */
export function toMarkup(root: Root): string {
  return blocksOf(root.children, { styles: [], depth: 0 });
}

function blocksOf(nodes: readonly RootContent[], context: Context): string {
  return nodes
    .map((node) => blockOf(node, context))
    .filter((text) => text !== "")
    .join("\n\n");
}

function blockOf(node: RootContent, context: Context): string {
  switch (node.type) {
    case "paragraph":
      return inlineOf(node.children, context);
    case "heading":
      return styled("*", node.children, context);
    case "list":
      return listOf(node, context);
    case "blockquote":
      return linesOf(blocksOf(node.children, context))
        .map((line) => `> ${line}`.trimEnd())
        .join("\n");
    case "code":
      return codeBlock(node.value);
    case "table":
      return codeBlock(tableText(node));
    case "thematicBreak":
      return "———";
    case "footnoteDefinition":
      return `[${asLiteral(node.label ?? node.identifier)}] ${blocksOf(node.children, context)}`;
    default:
      return asLiteral(sourceOf(node));
  }
}

/** Without a language, which WhatsApp would show as the first line. */
function codeBlock(code: string): string {
  return `\`\`\`\n${safeCode(code)}\n\`\`\``;
}

/** WhatsApp draws a bullet for `- ` at the beginning of a line; deeper ones are drawn here. */
function listOf(list: List, context: Context): string {
  const first = list.start ?? 1;
  const bullet = context.depth === 0 ? "-" : "◦";
  const items = list.children.map((item, index) => {
    const mark = list.ordered ? `${first + index}.` : bullet;
    return itemOf(item, `${mark} ${taskBox(item)}`, { ...context, depth: context.depth + 1 });
  });
  return items.join(list.spread ? "\n\n" : "\n");
}

/** What belongs to an item stands below it, indented; a code block is not, since its lines are to be copied. */
function itemOf(item: ListItem, mark: string, context: Context): string {
  const [first, ...rest] = item.children;
  const isLine = first?.type === "paragraph";
  const head = `${mark}${isLine ? blockOf(first, context) : ""}`.trimEnd();
  const below = (isLine ? rest : item.children).map((node) => {
    const text = blockOf(node, context);
    return node.type === "code" || node.type === "table" ? text : indented(text);
  });
  return [head, ...below].join(item.spread ? "\n\n" : "\n");
}

function indented(text: string): string {
  return linesOf(text)
    .map((line) => (line === "" ? "" : INDENT + line))
    .join("\n");
}

function taskBox({ checked }: ListItem): string {
  if (typeof checked !== "boolean") return "";
  return checked ? "☑ " : "☐ ";
}

function inlineOf(nodes: readonly PhrasingContent[], context: Context): string {
  return joinPhrases(
    nodes.map((node) => ({
      text: phraseOf(node, context),
      isMarked: ["strong", "emphasis", "delete", "inlineCode"].includes(node.type),
    })),
  );
}

function phraseOf(node: PhrasingContent, context: Context): string {
  switch (node.type) {
    case "text":
      return asLiteral(node.value);
    case "break":
      return "\n";
    case "strong":
      return styled("*", node.children, context);
    case "emphasis":
      return styled("_", node.children, context);
    case "delete":
      return styled("~", node.children, context);
    case "inlineCode":
      // There is no way to write a backtick within code.
      return node.value.includes("`") ? node.value : `\`${oneLine(node.value)}\``;
    case "link":
      return linkOf(node.url, textOf(node));
    case "image":
      return linkOf(node.url, node.alt || "image");
    case "footnoteReference":
      return `[${asLiteral(node.label ?? node.identifier)}]`;
    default:
      return asLiteral(sourceOf(node));
  }
}

function styled(mark: Mark, children: readonly PhrasingContent[], context: Context): string {
  if (context.styles.includes(mark)) return inlineOf(children, context);
  return marked(mark, inlineOf(children, { ...context, styles: [...context.styles, mark] }));
}

/** WhatsApp makes a link of an address, and of nothing else. */
function linkOf(url: string, text: string): string {
  const label = oneLine(text).trim();
  const isBare = [url, url.replace(/^mailto:/, ""), url.replace(/^https?:\/\//, "")].includes(label);
  return label === "" || isBare ? label || url : `${asLiteral(label)} (${url})`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, " ");
}

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/** Raw HTML and whatever else is shown as it was written. */
function sourceOf(node: Nodes): string {
  return "value" in node ? node.value : textOf(node);
}
