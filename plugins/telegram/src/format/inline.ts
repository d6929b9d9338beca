import { type PhrasingContent, textOf } from "@hermes/core/markdown";
import type { TextWriter } from "./formatted-text.ts";

/** Addresses that Telegram opens from a text ("text_link"). */
const LINKABLE = /^(?:https?|tg):\/\/\S/i;

/** Writes running text. */
export function writeInline(nodes: readonly PhrasingContent[], to: TextWriter): void {
  for (const node of nodes) writeNode(node, to);
}

function writeNode(node: PhrasingContent, to: TextWriter): void {
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
      to.within({ type: "bold" }, inner);
      break;
    case "emphasis":
      to.within({ type: "italic" }, inner);
      break;
    case "delete":
      to.within({ type: "strikethrough" }, inner);
      break;
    case "inlineCode":
      to.within({ type: "code" }, () => to.add(node.value));
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

/** A link where Telegram opens such, else the text with the address behind it. */
function writeLink(url: string, text: string, writeText: () => void, to: TextWriter): void {
  const label = text.trim();
  // Telegram makes links of bare addresses itself.
  if (label === "" || label === url || `mailto:${label}` === url) {
    to.add(label || url);
  } else if (LINKABLE.test(url)) {
    to.within({ type: "text_link", url }, writeText);
  } else {
    writeText();
    if (url !== "") to.add(` (${url})`);
  }
}
