import { parseMarkdown } from "@hermes/core/markdown";

interface AnyNode {
  readonly type: string;
  readonly value?: string;
  readonly alt?: string | null;
  readonly children?: readonly AnyNode[];
}

/** Blocks that hold words rather than other blocks. */
const LINES = new Set(["paragraph", "heading", "tableCell"]);

/** Markdown as people read it on the page: without its markup, a line for each block. */
export function plainText(markdown: string): string {
  return linesOf(parseMarkdown(markdown)).join("\n");
}

function linesOf(node: AnyNode): string[] {
  if (LINES.has(node.type) || node.children === undefined) return [wordsOf(node)];
  return node.children.flatMap(linesOf);
}

function wordsOf({ type, value, alt, children }: AnyNode): string {
  if (type === "break") return "\n";
  return value ?? alt ?? (children ?? []).map(wordsOf).join("");
}
