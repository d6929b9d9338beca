import type { Root } from "mdast";
import { TreeBuilder } from "./parser/build-tree.ts";
import { findNames, type Names } from "./parser/names.ts";
import { createReader } from "./parser/reader.ts";
import { Steps, TooManySteps } from "./parser/steps.ts";
import { splitText } from "./split-text.ts";

/** The most that reading one text may take, and showing it will. Ordinary Markdown of a section's length takes a half. */
const MOST_STEPS = 120_000;

/** The longest that is read in one go, in UTF-16 units; a few milliseconds with what is made of it. */
export const SECTION_LENGTH = 20_000;

const reader = createReader();

/**
 * Markdown as GitHub reads it (tables, task lists, strikethrough, footnotes, bare links), as an mdast tree; what a link
 * names elsewhere in the text is in the link. Takes any text: one that takes more work than its length is worth, as only
 * an attack does, or that is far longer than a section, comes back as a single paragraph of plain text.
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
 * holds nobody up. Without the lines that a code block is closed and opened again with, they join to the text.
 */
export function* parseSections(text: string): Generator<Section> {
  const source = text.toWellFormed();
  if (source.length <= SECTION_LENGTH) return yield { markdown: source, root: parseMarkdown(source), isLast: true };
  const names = findNames(source, reader);
  const sections = splitText(source, { length: SECTION_LENGTH, unit: "utf16" });
  for (const [at, markdown] of sections.entries()) {
    yield { markdown, root: parseCounted(markdown, names).root, isLast: at === sections.length - 1 };
  }
}

/** The tree, and how many steps it took. Counted rather than timed, so that it is the same wherever it runs. */
export function parseCounted(text: string, names?: Names): { readonly root: Root; readonly steps: number } {
  const source = text.toWellFormed();
  const steps = new Steps(MOST_STEPS, source.length);
  try {
    const tree = new TreeBuilder(source, steps);
    tree.add(reader.parse(source, { footnotes: new Set(), ...names, steps, imagesAround: 0 }));
    return { root: tree.root, steps: steps.taken };
  } catch (error) {
    if (error instanceof TooManySteps) return { root: plainRoot(source), steps: steps.taken };
    throw error;
  }
}

function plainRoot(text: string): Root {
  return { type: "root", children: [{ type: "paragraph", children: [{ type: "text", value: text }] }] };
}
