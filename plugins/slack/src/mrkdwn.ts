import { shortName } from "@hermes/core";
import { codeSpan } from "@hermes/core/markdown";

/**
 * A node of Slack's own markup ("Formatting message text" in Slack's documentation). A mark counts only at the edges of
 * words and within one line, so a lone `*` and `snake_case` are text; code is left unchanged.
 */
type MrkdwnNode =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "bold" | "italic" | "strike"; readonly children: readonly MrkdwnNode[] }
  | { readonly type: "code" | "pre"; readonly value: string }
  | { readonly type: "link"; readonly url: string; readonly label: string | null }
  /** A person (`@`), a channel (`#`), or another reference (`!`): everybody, a group, a date. */
  | { readonly type: "mention"; readonly sign: "@" | "#" | "!"; readonly id: string; readonly label: string | null };

type Mark = "*" | "_" | "~";

interface Frame {
  /** Null for the whole text. */
  readonly mark: Mark | null;
  readonly children: MrkdwnNode[];
}

const TOKEN = /```([\s\S]*?)```|`([^`\n]+)`|<([^<>\n]+)>|([*_~])|\n/g;

const STYLE = { "*": "bold", _: "italic", "~": "strike" } as const;

function parseMrkdwn(text: string): MrkdwnNode[] {
  const stack: Frame[] = [{ mark: null, children: [] }];
  const add = (node: MrkdwnNode) => top(stack).children.push(node);
  const addText = (raw: string) => raw !== "" && add({ type: "text", value: decode(raw) });
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    addText(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [whole, pre, code, angle, mark] = match;
    if (pre !== undefined) add({ type: "pre", value: decode(pre.replace(/^\n/, "").replace(/\n$/, "")) });
    else if (code !== undefined) add({ type: "code", value: decode(code) });
    else if (angle !== undefined) add(readAngle(angle));
    else if (mark === undefined) {
      // Marks do not span lines.
      while (stack.length > 1) unfold(stack);
      addText(whole);
    } else if (!close(stack, mark as Mark, text, match.index)) {
      if (canOpen(text, match.index)) open(stack, mark as Mark);
      else addText(mark);
    }
  }
  addText(text.slice(at));
  while (stack.length > 1) unfold(stack);
  return top(stack).children;
}

/** Returns the text as people read it: without marks, and with the text of links. */
export function plainText(text: string): string {
  return plainTextOf(parseMrkdwn(text));
}

function plainTextOf(nodes: readonly MrkdwnNode[]): string {
  const texts = nodes.map((node) => {
    switch (node.type) {
      case "bold":
      case "italic":
      case "strike":
        return plainTextOf(node.children);
      case "link":
        return node.label ?? node.url;
      case "mention":
        return `${node.sign === "!" ? "@" : node.sign}${node.label ?? node.id}`;
      default:
        return node.value;
    }
  });
  return texts.join("");
}

/** Escapes `&`, `<` and `>`, the only characters that Slack's markup needs escaped. */
export function encode(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function decode(text: string): string {
  return text.replaceAll(/&(amp|lt|gt);/g, (_, name: string) => (name === "amp" ? "&" : name === "lt" ? "<" : ">"));
}

function readAngle(inner: string): MrkdwnNode {
  const bar = inner.indexOf("|");
  const target = decode(bar < 0 ? inner : inner.slice(0, bar));
  const label = bar < 0 ? null : decode(inner.slice(bar + 1));
  const sign = target.charAt(0);
  if (sign === "@" || sign === "#" || sign === "!") return { type: "mention", sign, id: target.slice(1), label };
  return { type: "link", url: target, label };
}

/** Opens `mark`. One that is open already becomes text, since no style is nested in itself. */
function open(stack: Frame[], mark: Mark): void {
  while (stack.some((frame) => frame.mark === mark)) unfold(stack);
  stack.push({ mark, children: [] });
}

/** Closes the innermost open `mark` if one may end here; false if none is open. */
function close(stack: Frame[], mark: Mark, text: string, at: number): boolean {
  const opened = stack.findLastIndex((frame) => frame.mark === mark);
  if (opened < 0 || !canClose(text, at)) return false;
  while (stack.length - 1 > opened) unfold(stack);
  if (top(stack).children.length === 0) return false;
  const { children } = stack.pop() as Frame;
  top(stack).children.push({ type: STYLE[mark], children });
  return true;
}

/** Turns an unclosed mark back into a character. */
function unfold(stack: Frame[]): void {
  const { mark, children } = stack.pop() as Frame;
  const outer = top(stack).children;
  outer.push({ type: "text", value: mark ?? "" });
  for (const child of children) outer.push(child);
}

function top(stack: readonly Frame[]): Frame {
  const frame = stack.at(-1);
  if (!frame) throw new Error("there is always the frame of the whole text");
  return frame;
}

function canOpen(text: string, at: number): boolean {
  return !isWord(text, at - 1) && /^[^\s]/.test(text.charAt(at + 1)) && text.charAt(at + 1) !== text.charAt(at);
}

function canClose(text: string, at: number): boolean {
  return !isWord(text, at + 1) && /[^\s]$/.test(text.charAt(at - 1));
}

function isWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}

/** Looks up names for the ids in a message. */
export interface Names {
  user(id: string): Promise<string | undefined>;
  channel(id: string): Promise<string | undefined>;
}

/** Converts Slack's markup to Markdown. */
export async function toMarkdown(text: string, names: Names): Promise<string> {
  return markdownOf(parseMrkdwn(text), names);
}

async function markdownOf(nodes: readonly MrkdwnNode[], names: Names): Promise<string> {
  const parts = await Promise.all(nodes.map((node) => markdownOfNode(node, names)));
  return parts.join("");
}

async function markdownOfNode(node: MrkdwnNode, names: Names): Promise<string> {
  switch (node.type) {
    case "text":
      return node.value;
    case "bold":
      return `**${await markdownOf(node.children, names)}**`;
    case "italic":
      return `_${await markdownOf(node.children, names)}_`;
    case "strike":
      return `~~${await markdownOf(node.children, names)}~~`;
    case "code":
      return codeSpan(node.value);
    case "pre":
      return `\`\`\`\n${node.value}\n\`\`\``;
    case "link":
      return linkOf(node.url, node.label);
    case "mention":
      return nameOf(node, names);
  }
}

/** Writes a link as Markdown; one that Slack made itself (`example.com`, `ada@example.com`) as it was typed. */
function linkOf(url: string, label: string | null): string {
  if (label === null || label === url) return url;
  const typed = [`mailto:${label}`, `tel:${label}`, `http://${label}`, `https://${label}`];
  return typed.includes(url.replace(/\/$/, "")) || typed.includes(url) ? label : `[${label}](${url})`;
}

async function nameOf({ sign, id, label }: MrkdwnNode & { type: "mention" }, names: Names): Promise<string> {
  switch (sign) {
    case "@":
      return `@${shortName((await names.user(id)) ?? label ?? "") || id}`;
    case "#":
      return `#${shortName(label || ((await names.channel(id)) ?? "")) || id}`;
    case "!":
      // Dates and groups have a label; `here` and the like have none.
      return id.startsWith("date^") ? shortName(label ?? "") : shortName(label ?? "") || `@${id}`;
  }
}
