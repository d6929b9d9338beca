import { type PhrasingContent, textOf } from "@hermes/core/markdown";
import type { TextWriter } from "./formatted-text.ts";

/** Addresses that are put behind a text ("text_link"). */
const LINKABLE = /^https?:\/\/\S/i;

/** What apps make links of by themselves, wherever it stands but in code: a tap on it acts within Telegram. */
const OWN_SCHEME = /\b(?:tg|ton|tonsite):\S+/gi;

/** Writes running text. */
export function writeInline(nodes: readonly PhrasingContent[], to: TextWriter): void {
  for (const node of nodes) writeNode(node, to);
}

function writeNode(node: PhrasingContent, to: TextWriter): void {
  const inner = () => writeInline("children" in node ? node.children : [], to);
  switch (node.type) {
    case "text":
    case "html":
      writeText(node.value, to);
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

function writeText(text: string, to: TextWriter): void {
  let at = 0;
  for (const { 0: address, index } of text.matchAll(OWN_SCHEME)) {
    to.add(text.slice(at, index));
    to.within({ type: "code" }, () => to.add(address));
    at = index + address.length;
  }
  to.add(text.slice(at));
}

/** A link where Telegram opens such, else the text with the address behind it. */
function writeLink(url: string, text: string, writeLabel: () => void, to: TextWriter): void {
  const label = text.trim();
  // Telegram makes links of bare addresses itself.
  if (label === "" || label === url || `mailto:${label}` === url) {
    to.add(label || url);
  } else if (LINKABLE.test(url)) {
    to.within({ type: "text_link", url }, writeLabel);
  } else {
    writeLabel();
    if (url !== "") to.add(` (${url})`);
  }
}
