import { type Definitions, type List, type ListItem, type RootContent, tableText } from "@hermes/core/markdown";
import type { TextWriter } from "./formatted-text.ts";
import { writeInline } from "./inline.ts";

/** By the depth of the list; deeper ones repeat the last. */
const BULLETS = ["•", "◦", "▪"] as const;

/** A language that clients can make use of; anything else is left out. */
const LANGUAGE = /^[\w+#.-]{1,32}$/;

interface BlockContext {
  readonly definitions: Definitions;
  /** How many lists are around. */
  readonly depth: number;
}

/** Writes blocks with `between` between them. */
export function writeBlocks(
  nodes: readonly RootContent[],
  to: TextWriter,
  context: BlockContext,
  between = "\n\n",
): void {
  let isFirst = true;
  for (const node of nodes) {
    if (node.type === "definition") continue;
    if (!isFirst) to.add(between);
    isFirst = false;
    writeBlock(node, to, context);
  }
}

function writeBlock(node: RootContent, to: TextWriter, context: BlockContext): void {
  switch (node.type) {
    case "paragraph":
      writeInline(node.children, to, context.definitions);
      break;
    case "heading":
      to.within({ type: "bold" }, () => writeInline(node.children, to, context.definitions));
      break;
    case "code":
      writeCode(node.value, to, node.lang);
      break;
    case "table":
      writeCode(tableText(node), to);
      break;
    case "list":
      writeList(node, to, context);
      break;
    case "blockquote":
      to.within({ type: "blockquote" }, () => writeBlocks(node.children, to, context));
      break;
    case "thematicBreak":
      to.add("———");
      break;
    case "html":
      to.add(node.value);
      break;
    case "footnoteDefinition":
      to.add(`[${node.label ?? node.identifier}] `);
      writeBlocks(node.children, to, context);
  }
}

function writeCode(value: string, to: TextWriter, language?: string | null): void {
  const kind = language && LANGUAGE.test(language) ? { type: "pre" as const, language } : { type: "pre" as const };
  to.atMargin(() => to.within(kind, () => to.add(value)));
}

function writeList(list: List, to: TextWriter, context: BlockContext): void {
  const inner = { ...context, depth: context.depth + 1 };
  const bullet = BULLETS[Math.min(context.depth, BULLETS.length - 1)] ?? BULLETS[0];
  for (const [at, item] of list.children.entries()) {
    if (at > 0) to.add(list.spread ? "\n\n" : "\n");
    const marker = list.ordered ? `${(list.start ?? 1) + at}.` : boxOf(item) === "" ? bullet : "";
    to.add(`${marker} ${boxOf(item)}`.trim().concat(" "));
    to.indented(3, () => writeBlocks(item.children, to, inner, item.spread ? "\n\n" : "\n"));
  }
}

/** The box of a task; empty where the item is none. */
function boxOf({ checked }: ListItem): string {
  return checked === true ? "☑" : checked === false ? "☐" : "";
}
