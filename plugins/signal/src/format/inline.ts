import { type PhrasingContent, textOf } from "@hermes/core/markdown";
import type { StyledWriter } from "./styled-text.ts";

/** Writes running text. */
export function writeInline(nodes: readonly PhrasingContent[], to: StyledWriter): void {
  for (const node of nodes) writeNode(node, to);
}

function writeNode(node: PhrasingContent, to: StyledWriter): void {
  const inner = () => writeInline("children" in node ? node.children : [], to);
  switch (node.type) {
    case "text":
    case "html":
      to.add(node.value);
      break;
    case "break":
      to.add("\n");
      break;
    case "strong":
      to.within("BOLD", inner);
      break;
    case "emphasis":
      to.within("ITALIC", inner);
      break;
    case "delete":
      to.within("STRIKETHROUGH", inner);
      break;
    case "inlineCode":
      to.within("MONOSPACE", () => to.add(node.value));
      break;
    case "link":
      writeLink(node.url, textOf(node), inner, to);
      break;
    case "image":
      writeLink(node.url, node.alt ?? "", () => to.add(node.alt ?? ""), to);
      break;
    case "footnoteReference":
      to.add(`[${node.label ?? node.identifier}]`);
  }
}

/** Signal makes links of bare addresses, and has no other: the address stands behind the text. */
function writeLink(url: string, text: string, writeText: () => void, to: StyledWriter): void {
  const label = text.trim();
  if (label === "" || label === url || `mailto:${label}` === url) {
    to.add(label || url);
    return;
  }
  writeText();
  if (url !== "") to.add(` (${url})`);
}
