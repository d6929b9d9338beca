import type { Nodes, Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { DEEPEST, isEndless } from "./is-endless.ts";

const extensions = [gfm()];
const mdastExtensions = [gfmFromMarkdown()];

/**
 * Markdown as GitHub reads it (tables, task lists, strikethrough, bare links), as an mdast tree. Takes any text: one
 * that nests or goes on without end, as only an attack does, comes back as a single paragraph of plain text.
 */
export function parseMarkdown(text: string): Root {
  if (isEndless(text)) return plainRoot(text);
  try {
    const root = fromMarkdown(text, { extensions, mdastExtensions });
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
