import type { PhrasingContent } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import type picocolors from "picocolors";
import { plain, type Span, type Style, span } from "../markdown/styled-text.ts";

/** The context for rendering nodes. Without colours, styles are shown as Markdown's own marks. */
export interface TerminalContext {
  readonly colors: ReturnType<typeof picocolors.createColors>;
}

export function renderInline(
  nodes: readonly PhrasingContent[],
  context: TerminalContext,
  style: Style = plain,
): Span[] {
  return nodes.flatMap((node) => renderNode(node, context, style));
}

function renderNode(node: PhrasingContent, context: TerminalContext, style: Style): Span[] {
  const { colors } = context;
  switch (node.type) {
    case "text":
      return [span(node.value.replaceAll(/\r\n?|\n/g, " "), style)];
    case "html":
      return [span(node.value.replaceAll(/\r\n?|\n/g, " "), style)];
    case "break":
      return [span("\n")];
    case "strong":
      return marked(node.children, "**", colors.bold, context, style);
    case "emphasis":
      return marked(node.children, "*", colors.italic, context, style);
    case "delete":
      return marked(node.children, "~~", colors.strikethrough, context, style);
    case "inlineCode":
      return [span(colors.isColorSupported ? node.value : `\`${node.value}\``, over(colors.cyan, style))];
    case "link":
      return renderLink(node.children, node.url, context, style);
    case "image":
      return renderLink([{ type: "text", value: node.alt || "image" }], node.url, context, style);
    case "footnoteReference":
      return [span(`[${node.label ?? node.identifier}]`, over(colors.dim, style))];
    default:
      return [span(textOf(node), style)];
  }
}

function marked(
  children: readonly PhrasingContent[],
  mark: string,
  look: Style,
  context: TerminalContext,
  style: Style,
): Span[] {
  if (context.colors.isColorSupported) return renderInline(children, context, over(look, style));
  return [span(mark, style), ...renderInline(children, context, style), span(mark, style)];
}

/** Shows the text and the address of a link, since the text can claim anything. */
function renderLink(children: readonly PhrasingContent[], url: string, context: TerminalContext, style: Style): Span[] {
  const { colors } = context;
  const address = span(url.replaceAll(/\s/g, "%20"), over(colors.underline, style));
  const text = textOf(children);
  if (text === url || `mailto:${text}` === url || `http://${text}` === url) return [address];
  return [...renderInline(children, context, style), span(" (", style), address, span(")", style)];
}

function over(look: Style, style: Style): Style {
  return style === plain ? look : (text) => style(look(text));
}
