import { codeSpan } from "@hermes/core/markdown";
import { type MarkupNode, parseMarkup } from "./markup.ts";

/** WhatsApp's markup as Markdown. Lists and quotes are written alike in both. */
export function toMarkdown(text: string): string {
  return parseMarkup(text).map(markdownOf).join("");
}

function markdownOf(node: MarkupNode): string {
  switch (node.type) {
    case "text":
      return node.value;
    case "bold":
      return `**${node.children.map(markdownOf).join("")}**`;
    case "italic":
      return `_${node.children.map(markdownOf).join("")}_`;
    case "strike":
      return `~~${node.children.map(markdownOf).join("")}~~`;
    case "code":
      return codeSpan(node.value);
    case "pre":
      return `\`\`\`\n${node.value}\n\`\`\``;
  }
}
