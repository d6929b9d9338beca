import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

const extensions = [gfm()];
const mdastExtensions = [gfmFromMarkdown()];

/** More nesting than people write; each level costs the parser the whole line again. */
const DEEPEST_LINE = /^[ \t]*(?:(?:[>*+-]|\d{1,9}[.)])[ \t]*){40}/m;

/** More emphasis and links in one block than people write; the parser's time grows with their square. */
const MOST_DELIMITERS = 3_000;

const DELIMITERS = /[*_~[\]!]/g;

/** The tree of a text; null when it is better shown as it stands. */
export function parseMarkdown(text: string): Root | null {
  if (DEEPEST_LINE.test(text)) return null;
  if (text.length > MOST_DELIMITERS && (text.match(DELIMITERS)?.length ?? 0) > MOST_DELIMITERS) return null;
  try {
    return fromMarkdown(text, { extensions, mdastExtensions });
  } catch {
    return null;
  }
}
