import { type MarkupNode, parseMarkup } from "./markup.ts";

const SIGN = { bold: "*", italic: "_", strike: "~" } as const;

/**
 * Text that is to be read as it stands. WhatsApp cannot be told that a mark is none, so what it would take for markup
 * is shown as code, where every character counts.
 */
export function asLiteral(text: string): string {
  if (!/[*_~`]/.test(text)) return text;
  return parseMarkup(text).map(literalOf).join("");
}

function literalOf(node: MarkupNode): string {
  switch (node.type) {
    case "text":
      return node.value;
    case "code":
      return `\`${node.value}\``;
    case "pre":
      return `\`\`\`${node.value}\`\`\``;
    default:
      return node.children.some(hasCode) ? sourceOf(node) : `\`${sourceOf(node)}\``;
  }
}

function hasCode(node: MarkupNode): boolean {
  return "children" in node ? node.children.some(hasCode) : node.type !== "text" || node.value.includes("`");
}

function sourceOf(node: MarkupNode): string {
  if (!("children" in node)) return node.type === "text" ? node.value : literalOf(node);
  return `${SIGN[node.type]}${node.children.map(sourceOf).join("")}${SIGN[node.type]}`;
}
