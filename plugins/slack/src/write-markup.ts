import {
  type List,
  type ListItem,
  markWords,
  type Nodes,
  type PhrasingContent,
  type Root,
  type RootContent,
  tableText,
  textOf,
} from "@hermes/core/markdown";
import { encode } from "./mrkdwn.ts";

/** Joins a mark to a word it stands in: Slack sees marks at the edges of words only. */
const ZERO_WIDTH_SPACE = "\u200b";

const INDENT = "    ";

type Style = "*" | "_" | "~";

interface Context {
  /** The styles that are on: Slack has no style within itself. */
  readonly styles: readonly Style[];
}

/** A tree of Markdown in Slack's own markup; what Slack has no markup for is shown as text that reads well. */
export function toMrkdwn(root: Root): string {
  return blocksOf(root.children, { styles: [] });
}

function blocksOf(nodes: readonly RootContent[], context: Context, gap = "\n\n"): string {
  return nodes
    .map((node) => blockOf(node, context))
    .filter((text) => text !== "")
    .join(gap);
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
      return `[${encode(node.label ?? node.identifier)}] ${blocksOf(node.children, context)}`;
    default:
      return encode(sourceOf(node));
  }
}

/** Without a language, which Slack would show as the first line. Three backticks within would end the block. */
function codeBlock(code: string): string {
  const safe = encode(code).replaceAll("```", `\`\`${ZERO_WIDTH_SPACE}\``);
  return `\`\`\`\n${safe}\n\`\`\``;
}

function listOf(list: List, context: Context): string {
  const first = list.start ?? 1;
  const items = list.children.map((item, index) => {
    const bullet = list.ordered ? `${first + index}.` : "•";
    return itemOf(item, `${bullet} ${taskBox(item)}`, context);
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
  const parts: string[] = [];
  let last: string | undefined;
  let wasMarked = false;
  for (const node of nodes) {
    const text = phraseOf(node, context);
    const isMarked = ["strong", "emphasis", "delete", "inlineCode"].includes(node.type);
    // A mark and a word stand against each other.
    if ((isMarked && isWord(last)) || (!isMarked && wasMarked && isWord(text.at(0)))) parts.push(ZERO_WIDTH_SPACE);
    parts.push(text);
    last = text.at(-1) ?? last;
    wasMarked = isMarked;
  }
  return parts.join("");
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

function phraseOf(node: PhrasingContent, context: Context): string {
  switch (node.type) {
    case "text":
      return encode(node.value);
    case "break":
      return "\n";
    case "strong":
      return styled("*", node.children, context);
    case "emphasis":
      return styled("_", node.children, context);
    case "delete":
      return styled("~", node.children, context);
    case "inlineCode":
      // Slack has no way to write a backtick within code.
      return node.value.includes("`") ? encode(node.value) : `\`${encode(oneLine(node.value))}\``;
    case "link":
      return linkOf(node.url, textOf(node));
    case "image":
      return linkOf(node.url, node.alt || "image");
    case "footnoteReference":
      return `[${encode(node.label ?? node.identifier)}]`;
    default:
      return encode(sourceOf(node));
  }
}

/** Each line gets marks of its own, since no mark reaches over the end of a line. */
function styled(mark: Style, children: readonly PhrasingContent[], context: Context): string {
  if (context.styles.includes(mark)) return inlineOf(children, context);
  const text = inlineOf(children, { ...context, styles: [...context.styles, mark] });
  return linesOf(text)
    .map((line) => markWords(line, mark))
    .join("\n");
}

/** `<!channel>` and the like can never come of a link, since the address of one has a scheme. */
function linkOf(url: string, text: string): string {
  const label = oneLine(text).trim();
  const target = encode(url.replaceAll(/[\s<>|]/g, encodeURIComponent));
  const isBare = label === "" || label === url || `mailto:${label}` === url || `http://${label}` === url;
  return isBare ? `<${target}>` : `<${target}|${encode(label)}>`;
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
