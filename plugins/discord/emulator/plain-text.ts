import { type Nodes, parseMarkdown } from "@hermes/core/markdown";

/** A message as people read it: Discord's markup, which is a kind of Markdown, is resolved. */
export function plainText(content: string): string {
  return shown(parseMarkdown(content));
}

/** Addresses behind a text, in angle brackets, and bare ones that apps make links of, which they do not within code. */
export function linksIn(content: string): string[] {
  const prose = content.replaceAll(/(`+)(?:(?!\1)[\s\S])*\1/g, "");
  const links = prose.matchAll(/\]\(<?([^)>\s]+)|<([a-z][a-z0-9+.-]*:[^>\s]+)>|\b((?:https?|discord):\/\/[^\s)>]+)/gi);
  return [...links].map(([, behind, bracketed, bare]) => behind ?? bracketed ?? bare ?? "");
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
