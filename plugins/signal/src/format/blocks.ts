import { type List, type ListItem, type RootContent, tableText } from "@hermes/core/markdown";
import { writeInline } from "./inline.ts";
import type { StyledWriter } from "./styled-text.ts";

/** By the depth of the list; deeper ones repeat the last. */
const BULLETS = ["•", "◦", "▪"] as const;

/** Writes blocks with `between` between them; `depth` is how many lists are around. */
export function writeBlocks(nodes: readonly RootContent[], to: StyledWriter, depth: number, between = "\n\n"): void {
  let isFirst = true;
  for (const node of nodes) {
    if (!isFirst) to.add(between);
    isFirst = false;
    writeBlock(node, to, depth);
  }
}

function writeBlock(node: RootContent, to: StyledWriter, depth: number): void {
  switch (node.type) {
    case "paragraph":
      writeInline(node.children, to);
      break;
    case "heading":
      to.within("BOLD", () => writeInline(node.children, to));
      break;
    case "code":
      to.within("MONOSPACE", () => to.add(node.value));
      break;
    case "table":
      to.within("MONOSPACE", () => to.add(tableText(node)));
      break;
    case "list":
      writeList(node, to, depth);
      break;
    case "blockquote":
      to.behind("> ", () => writeBlocks(node.children, to, depth));
      break;
    case "thematicBreak":
      to.add("———");
      break;
    case "html":
      to.add(node.value);
      break;
    case "footnoteDefinition":
      to.add(`[${node.label ?? node.identifier}] `);
      writeBlocks(node.children, to, depth);
  }
}

function writeList(list: List, to: StyledWriter, depth: number): void {
  const bullet = BULLETS[Math.min(depth, BULLETS.length - 1)] ?? BULLETS[0];
  for (const [at, item] of list.children.entries()) {
    if (at > 0) to.add(list.spread ? "\n\n" : "\n");
    const marker = list.ordered ? `${(list.start ?? 1) + at}.` : boxOf(item) === "" ? bullet : "";
    to.add(`${marker} ${boxOf(item)}`.trim().concat(" "));
    to.behind("   ", () => writeBlocks(item.children, to, depth + 1, item.spread ? "\n\n" : "\n"));
  }
}

/** The box of a task; empty where the item is none. */
function boxOf({ checked }: ListItem): string {
  return checked === true ? "☑" : checked === false ? "☐" : "";
}
