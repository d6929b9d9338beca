import type { Image, Link, Nodes, PhrasingContent, Root } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { safeLink } from "./safe-link.ts";

/** A bare address with another scheme, which apps may turn into a link themselves, except within code. */
const BARE_ADDRESS = /(?<![\p{L}\p{N}+.-])(?!https?:)[a-z][a-z\d+.-]{1,31}:\/\/[^\s<>]*[^\s<>.,;:!?)'"\]]/giu;

/**
 * Replaces each link and image with an unsafe address by its text and the address as code; an unsafe bare address becomes
 * code, too. Mutates the tree: renderers find only links to pages and mail in it.
 */
export function keepSafeLinks(node: Root | Nodes): void {
  if (!("children" in node)) return;
  const children = (node.children as Nodes[]).flatMap((child): Nodes[] => {
    if (child.type === "text" && node.type !== "link") return splitText(child.value, child);
    keepSafeLinks(child);
    if (child.type !== "link" && child.type !== "image") return [child];
    const safe = safeLink(child.url);
    if (safe === null) return asText(child, child.url);
    child.url = safe;
    return [child];
  });
  (node.children as Nodes[]) = children;
}

function asText(node: Link | Image, url: string): PhrasingContent[] {
  const label = node.type === "link" ? textOf(node) : (node.alt ?? "");
  const shown: PhrasingContent[] = node.type === "link" ? node.children : [{ type: "text", value: label }];
  if (url.trim() === "") return shown;
  const address: PhrasingContent = { type: "inlineCode", value: url };
  if (label.trim() === "" || label === url) return [address];
  return [...shown, { type: "text", value: " (" }, address, { type: "text", value: ")" }];
}

function splitText(value: string, whole: PhrasingContent): PhrasingContent[] {
  const parts: PhrasingContent[] = [];
  let at = 0;
  for (const { 0: address, index } of value.matchAll(BARE_ADDRESS)) {
    if (index > at) parts.push({ type: "text", value: value.slice(at, index) });
    parts.push({ type: "inlineCode", value: address });
    at = index + address.length;
  }
  if (at === 0) return [whole];
  return at < value.length ? [...parts, { type: "text", value: value.slice(at) }] : parts;
}
