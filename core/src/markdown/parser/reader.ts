import createMarkdownIt, { type MarkdownIt, type StateBlock } from "markdown-it";
import { webAddress } from "./bare-links.ts";
import { defineFootnote, nameFootnote } from "./footnotes.ts";
import { type Steps, TooManySteps } from "./steps.ts";

/** Quotes and lists in one another: deeper than people nest. */
const DEEPEST = 32;

type BlockRule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** What goes along with a text while it is read. */
export interface Reading {
  readonly steps: Steps;
  readonly references?: Record<string, { readonly href: string; readonly title: string }>;
  readonly footnotes: Set<string>;
  /** How many images the text stands in that is read now. */
  imagesAround: number;
}

export function readingOf(state: { readonly env: unknown }): Reading {
  return state.env as Reading;
}

/** Reads Markdown as GitHub does, and counts what it does as it goes. */
export function createReader(): MarkdownIt {
  // The library passes over what nests deeper than it is told to: that is never to be reached.
  const reader = createMarkdownIt({ html: true, maxNesting: 2 * DEEPEST });
  // Addresses are kept as they were written; what may be opened is for whoever shows them.
  reader.normalizeLink = (url) => url;
  reader.normalizeLinkText = (text) => text;
  reader.validateLink = () => true;

  const paragraphs = { alt: ["paragraph", "reference"] };
  reader.block.ruler.before("reference", "footnote", defineFootnote, paragraphs);
  reader.inline.ruler.before("link", "footnote", nameFootnote);
  reader.inline.ruler.after("text", "web_address", webAddress);
  // Whoever walks through the tokens joins them.
  reader.core.ruler.disable(["linkify", "replacements", "smartquotes", "text_join"]);
  countSteps(reader);
  return reader;
}

function countSteps(reader: MarkdownIt): void {
  const { block, inline } = reader;
  for (const { name, fn, alt } of block.ruler.__rules__) block.ruler.at(name, counted(fn), { alt });
  // Before all others: each place is tried once by each rule.
  inline.ruler.before("text", "count", (state) => {
    readingOf(state).steps.take(1);
    return false;
  });
  const skipToken = inline.skipToken.bind(inline);
  inline.skipToken = (state) => {
    readingOf(state).steps.take(1);
    skipToken(state);
  };
  inline.ruler2.before("balance_pairs", "count", (state) => readingOf(state).steps.take(state.tokens.length));
  // The text of an image is read anew for each image around it.
  const parse = inline.parse.bind(inline);
  inline.parse = (text, md, env, tokens) => {
    const reading = readingOf({ env });
    if (++reading.imagesAround > DEEPEST) throw new TooManySteps();
    parse(text, md, env, tokens);
    reading.imagesAround--;
  };
}

/** A block costs its lines, at each level that it is within. */
function counted(rule: BlockRule): BlockRule {
  return (state, startLine, endLine, silent) => {
    const { steps } = readingOf(state);
    steps.take(1);
    if (state.level > DEEPEST) throw new TooManySteps();
    const isTaken = rule(state, startLine, endLine, silent);
    if (isTaken && !silent) steps.take(state.line - startLine);
    return isTaken;
  };
}
