import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** Deeper than people nest, and far from where a reader that calls itself for each level runs out of stack. */
const DEEPEST = 100;

/** A line that opens more quotes and lists in one another than that; the parser's time grows with their square. */
const ENDLESS_CONTAINERS = new RegExp(`^(?:[ \\t]*(?:>|(?:[-+*]|\\d{1,9}[.)])(?=[ \\t]))){${DEEPEST}}`, "m");

/** A line with so long a run of marks, unless it is a rule; each pair is a level. */
const ENDLESS_EMPHASIS = /^(?![*_ \t]*$).*[*_]{400}/m;

/**
 * Markdown as GitHub reads it (tables, task lists, strikethrough, bare links), as an mdast tree. Takes any text: one
 * that nests without end, as only an attack does, comes back as a single paragraph of plain text.
 */
export function parseMarkdown(text: string): Root {
  if (ENDLESS_CONTAINERS.test(text) || ENDLESS_EMPHASIS.test(text)) return plainRoot(text);
  try {
    const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    return isTooDeep(root) ? plainRoot(text) : root;
  } catch (error) {
    if (error instanceof RangeError) return plainRoot(text);
    throw error;
  }
}

function isTooDeep(root: Root): boolean {
  let level: readonly Nodes[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((node) => ("children" in node ? node.children : []));
  }
  return false;
}

function plainRoot(text: string): Root {
  return { type: "root", children: [{ type: "paragraph", children: [{ type: "text", value: text }] }] };
}
