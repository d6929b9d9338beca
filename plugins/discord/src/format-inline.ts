import { type PhrasingContent, textOf } from "@hermes/core/markdown";
import { escapeText } from "./escape.ts";

export interface InlineContext {
  /** Marks that are open: the same mark again would close the first. */
  readonly style: ReadonlySet<string>;
}

/** Running text in Discord's form. */
export function renderInline(nodes: readonly PhrasingContent[], context: InlineContext): string {
  const parts: string[] = [];
  let atLineStart = true;
  for (const node of nodes) {
    const text = renderNode(node, context, atLineStart);
    if (text === "") continue;
    parts.push(text);
    atLineStart = text.endsWith("\n");
  }
  return parts.join("");
}

function renderNode(node: PhrasingContent, context: InlineContext, atLineStart: boolean): string {
  switch (node.type) {
    case "text":
    case "html":
      return escapeText(node.value, { atLineStart });
    case "break":
      return "\n";
    case "strong":
      return marked(node.children, "**", context);
    case "emphasis":
      return marked(node.children, "*", context);
    case "delete":
      return marked(node.children, "~~", context);
    case "inlineCode":
      return renderCode(node.value);
    case "link":
      return renderLink(node.children, node.url, context);
    case "image":
      return renderLink([{ type: "text", value: node.alt || "image" }], node.url, context);
    case "footnoteReference":
      return `[${escapeText(node.label ?? node.identifier)}]`;
    default:
      return escapeText(textOf(node), { atLineStart });
  }
}

function marked(children: readonly PhrasingContent[], mark: string, context: InlineContext): string {
  const { style } = context;
  const inner = renderInline(children, { ...context, style: new Set([...style, mark]) });
  return style.has(mark) || inner.trim() === "" ? inner : `${mark}${inner}${mark}`;
}

/** Discord reads one or two backticks around code, and none within as many. */
function renderCode(value: string): string {
  const line = value.replaceAll("\n", " ");
  if (!line.includes("`")) return `\`${line}\``;
  const apart = line.replaceAll(/`(?=`)/g, "`\u200b");
  return `\`\`${apart.startsWith("`") ? " " : ""}${apart}${apart.endsWith("`") ? " " : ""}\`\``;
}

/** Discord shows a link behind a text only when the text does not itself look like an address. */
function renderLink(children: readonly PhrasingContent[], url: string, context: InlineContext): string {
  const address = url.replaceAll(/[\s<>]/g, encodeURIComponent);
  const text = textOf(children);
  if (text === url || `http://${text}` === url || `mailto:${text}` === url) return text === url ? address : text;
  const shown = renderInline(children, context);
  if (!/^https?:/i.test(url)) return shown === "" ? escapeText(address) : `${shown} (${escapeText(address)})`;
  if (shown === "" || /:\/\/|^www\./i.test(text)) return `${shown} (<${address}>)`.trim();
  return `[${shown.replaceAll(/[[\]]/g, "\\$&")}](${address.replaceAll(/[()]/g, (sign) => (sign === "(" ? "%28" : "%29"))})`;
}
