import type { Root } from "mdast";
import { TreeBuilder } from "./parser/build-tree.ts";
import { findNames } from "./parser/names.ts";
import { type Names, Reader } from "./parser/reader.ts";
import { Steps, TooManySteps } from "./parser/steps.ts";
import { keepSafeLinks } from "./safe-links.ts";
import { splitText } from "./split-text.ts";

/**
 * The budget for one text, in steps: slightly more than 20,000 characters of mixed Markdown need. Of an answer that
 * consists only of the costliest elements, such as a table of 1,500 rows, the first 10,000 characters are formatted.
 */
const MOST_STEPS = 64_500;

/** A text longer than this, in UTF-16 units, gets this much more budget for each further unit. */
const USUAL_LENGTH = 20_000;
const STEPS_A_UNIT = MOST_STEPS / USUAL_LENGTH;

/** The maximum length of a section, which is parsed in one go: a few milliseconds, including the rendering. */
export const SECTION = { length: 10_000, unit: "bytes" } as const;

const reader = new Reader();

/**
 * Parses GitHub Flavored Markdown (tables, task lists, strikethrough, footnotes, bare links) to an mdast tree. Reference
 * links are resolved. All links lead to a page or a mail address, see {@link safeLink}; other links become text. Accepts
 * any text: one that exceeds the budget, since it is hostile or far too long, becomes a single paragraph of plain text.
 */
export function parseMarkdown(text: string): Root {
  return parseCounted(text).root;
}

/** A part of a text that is parsed on its own. */
export interface Section {
  readonly markdown: string;
  /** Parsed when its children are first asked for: who takes Markdown as it is waits for nothing. */
  readonly root: Root;
  readonly isLast: boolean;
}

/**
 * Splits a text of any length into sections, each parsed on demand, so that a caller can yield to the event loop between
 * two of them. Apart from the lines that close and reopen a cut code block, the sections join to the text. They share one
 * budget: once it is used up, the rest is plain text.
 */
export function* parseSections(text: string): Generator<Section> {
  const source = text.toWellFormed();
  const sections = splitText(source, SECTION);
  if (sections.length <= 1)
    return yield { markdown: source, root: onDemand(() => parseMarkdown(source)), isLast: true };
  let names: Names | null = null;
  let left = MOST_STEPS + STEPS_A_UNIT * Math.max(0, source.length - USUAL_LENGTH);
  for (const [at, markdown] of sections.entries()) {
    const root = onDemand(() => {
      names ??= findNames(source, reader);
      const parsed = parseCounted(markdown, { names, most: Math.min(left, MOST_STEPS) });
      left -= parsed.steps;
      return parsed.root;
    });
    yield { markdown, root, isLast: at === sections.length - 1 };
  }
}

function onDemand(parse: () => Root): Root {
  let parsed: Root | null = null;
  return {
    type: "root",
    get children() {
      parsed ??= parse();
      return parsed.children;
    },
    set children(children) {
      parsed = { type: "root", children };
    },
  };
}

/** Parses a text and counts the steps. Steps rather than time, so that the result is the same on every machine. */
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
