import type { Root } from "mdast";
import { TreeBuilder } from "./parser/build-tree.ts";
import { findNames } from "./parser/names.ts";
import { type Names, Reader } from "./parser/reader.ts";
import { Steps, TooManySteps } from "./parser/steps.ts";
import { keepSafeLinks } from "./safe-links.ts";
import { splitText } from "./split-text.ts";

/**
 * The most that one text is read with: a little more than 20,000 characters with some of everything take. An answer of
 * nothing but the costliest things, say a table of 1,500 rows, is formatted for its first 10,000 characters.
 */
const MOST_STEPS = 64_500;

/** What a text that is longer still may take for each further UTF-16 unit. */
const USUAL_LENGTH = 20_000;
const STEPS_A_UNIT = MOST_STEPS / USUAL_LENGTH;

/** The longest that is read in one go: a few milliseconds, with what a platform makes of it. */
export const SECTION = { length: 10_000, unit: "bytes" } as const;

const reader = new Reader();

/**
 * Markdown as GitHub reads it (tables, task lists, strikethrough, footnotes, bare links), as an mdast tree; what a link
 * names elsewhere in the text is in the link, and leads to a page or a mail, see {@link safeLink}; other links are text by
 * then. Takes any text: one that takes more work than it is worth, since it is hostile or far too long, comes back as a
 * single paragraph of plain text.
 */
export function parseMarkdown(text: string): Root {
  return parseCounted(text).root;
}

/** A part of a text that is read by itself. */
export interface Section {
  readonly markdown: string;
  readonly root: Root;
  readonly isLast: boolean;
}

/**
 * A text of any length in sections, each of which is parsed when it is asked for: whoever waits between two of them
 * holds nobody up. Without the lines that a code block is closed and opened again with, they join to the text. They
 * share what the whole may take: where that comes to an end, the rest is plain text.
 */
export function* parseSections(text: string): Generator<Section> {
  const source = text.toWellFormed();
  const sections = splitText(source, SECTION);
  if (sections.length <= 1) return yield { markdown: source, root: parseMarkdown(source), isLast: true };
  const names = findNames(source, reader);
  let left = MOST_STEPS + STEPS_A_UNIT * Math.max(0, source.length - USUAL_LENGTH);
  for (const [at, markdown] of sections.entries()) {
    const { root, steps } = parseCounted(markdown, { names, most: Math.min(left, MOST_STEPS) });
    left -= steps;
    yield { markdown, root, isLast: at === sections.length - 1 };
  }
}

/** The tree, and how many steps it took. Counted rather than timed, so that it is the same wherever it runs. */
export function parseCounted(
  text: string,
  { names, most = MOST_STEPS }: { readonly names?: Names; readonly most?: number } = {},
): { readonly root: Root; readonly steps: number } {
  const source = text.toWellFormed();
  const steps = new Steps(most, source.length);
  try {
    const tree = new TreeBuilder(source, steps);
    tree.add(reader.read(source, steps, names ?? { references: {}, footnotes: new Set() }));
    keepSafeLinks(tree.root);
    return { root: tree.root, steps: steps.taken };
  } catch (error) {
    if (error instanceof TooManySteps) return { root: plainRoot(source), steps: steps.taken };
    throw error;
  }
}

function plainRoot(text: string): Root {
  return { type: "root", children: [{ type: "paragraph", children: [{ type: "text", value: text }] }] };
}
