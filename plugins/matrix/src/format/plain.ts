import { type Root, type RootContent, textOf } from "@hermes/core/markdown";

/** Paragraphs without markup as plain text: what was escaped in Markdown stands as it is meant. */
export function textLines({ children }: Root): string {
  return children.map(lineOf).join("\n\n");
}

function lineOf(node: RootContent): string {
  if (!("children" in node)) return textOf(node);
  return node.children.map((child) => (child.type === "break" ? "\n" : textOf(child))).join("");
}
