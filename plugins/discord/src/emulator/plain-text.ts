import { type Nodes, parseMarkdown } from "@hermes/core/markdown";

/** A message as people read it: Discord's markup, which is a kind of Markdown, is resolved. */
export function plainText(content: string): string {
  return shown(parseMarkdown(content));
}

function shown(node: Nodes): string {
  if ("value" in node) return node.value;
  if (node.type === "break") return "\n";
  if (node.type === "image") return node.alt ?? "";
  if (!("children" in node)) return "";
  const isInline = ["paragraph", "heading", "strong", "emphasis", "delete", "link", "tableCell"].includes(node.type);
  const parts = (node.children as Nodes[]).map(shown);
  return parts.join(isInline ? "" : "\n");
}
