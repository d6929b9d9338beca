import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from "markdown-it";
import { webAddress } from "./bare-links.ts";
import { passEndlessHtml } from "./endless-html.ts";
import { defineFootnote, nameFootnote } from "./footnotes.ts";
import { type Kind, Steps, TooManySteps } from "./steps.ts";

/** Quotes and lists in one another: deeper than people nest. */
const DEEPEST = 32;

/** Images in the text of one another: nobody writes that. */
const DEEPEST_IMAGE = 4;

/** What a text is named by from anywhere in it: addresses, and footnotes. */
export interface Names {
  readonly references: Record<string, { readonly href: string; readonly title: string }>;
  readonly footnotes: Set<string>;
}

/** Reads Markdown as GitHub does, and counts what it does as it goes. */
export class Reader {
  readonly #library: MarkdownIt;
  #steps = new Steps(0, 0);
  /** How many of the blocks' tokens were counted. */
  #tokens = 0;
  /** The same of the text that is read now. */
  #marks = 0;
  #imagesAround = 0;

  constructor() {
    // The library's types lack the second: how deep it looks into brackets, and where it would pass over blocks.
    const options = { html: true, maxNesting: 40 };
    this.#library = createMarkdownIt(options);
    const { block, core, inline } = this.#library;
    // Addresses are kept as they were written; what may be opened is for whoever shows them.
    this.#library.normalizeLink = (url) => url;
    this.#library.normalizeLinkText = (text) => text;
    this.#library.validateLink = () => true;
    block.ruler.before("reference", "footnote", defineFootnote, { alt: ["paragraph", "reference"] });
    inline.ruler.before("link", "footnote", nameFootnote);
    inline.ruler.after("text", "web_address", webAddress);
    inline.ruler.before("html_inline", "endless_html", passEndlessHtml);
    // Whoever walks through the tokens joins them.
    core.ruler.disable(["linkify", "replacements", "smartquotes", "text_join"]);
    this.#countBlocks();
    this.#countText();
    this.#countAddresses();
  }

  /** Throws TooManySteps when it takes more than `steps` has left. `names` are those known beforehand; more are added. */
  read(text: string, steps: Steps, names: Names): Token[] {
    this.#steps = steps;
    this.#tokens = 0;
    this.#imagesAround = 0;
    return this.#library.parse(text, names);
  }

  nameOf(label: string): string {
    return this.#library.utils.normalizeReference(label);
  }

  #countBlocks(): void {
    const { block } = this.#library;
    // Before all others: they are tried at the beginning of each block, and where it may end.
    const everywhere = { alt: ["paragraph", "reference", "blockquote", "list"] };
    block.ruler.before("table", "count", (state, line) => this.#countBlock(state, line), everywhere);
    const tokenize = block.tokenize.bind(block);
    block.tokenize = (state, startLine, endLine) => {
      // Long before the library would pass over what is nested deeper.
      if (state.level > DEEPEST) throw new TooManySteps();
      tokenize(state, startLine, endLine);
      // Lines count once for each block that they are within.
      this.#steps.take("line", state.line - startLine);
    };
  }

  /** A table tries other rules at each row, and so is counted as it grows, with the cells that its rows lack. */
  #countBlock({ tokens, bMarks, eMarks, parentType }: StateBlock, line: number): false {
    const more = Math.max(0, tokens.length - this.#tokens);
    this.#tokens = tokens.length;
    const row = (eMarks[line - 1] ?? 0) - (bMarks[line - 1] ?? 0);
    // A cell is three tokens, and a character at least; a row is two more.
    const filled = String(parentType) === "table" ? Math.max(0, more - 3 * row - 2) : 0;
    this.#steps.take("block");
    this.#steps.take("token", more);
    this.#steps.take("filled", filled);
    return false;
  }

  #countText(): void {
    const { inline } = this.#library;
    inline.ruler.before("text", "count", ({ tokens }) => {
      const marks = Math.max(0, tokens.length - this.#marks);
      this.#marks = tokens.length;
      this.#steps.take("mark", marks);
      return this.#count("place");
    });
    inline.ruler.after("entity", "count_misses", () => this.#count("miss"));
    inline.ruler2.before("balance_pairs", "count", ({ tokens }) => this.#count("pair", tokens.length));
    const skipToken = inline.skipToken.bind(inline);
    inline.skipToken = (state) => {
      this.#steps.take("skip");
      skipToken(state);
    };
    const parse = inline.parse.bind(inline);
    inline.parse = (text, library, names, tokens) => {
      this.#steps.take("text");
      const marks = this.#marks;
      this.#marks = 0;
      // The text of an image is read anew for each image around it.
      if (++this.#imagesAround > DEEPEST_IMAGE) throw new TooManySteps();
      parse(text, library, names, tokens);
      this.#imagesAround--;
      this.#marks = marks;
    };
  }

  /** For a rule that only counts: it never fits. */
  #count(kind: Kind, times = 1): false {
    this.#steps.take(kind, times);
    return false;
  }

  #countAddresses(): void {
    const { helpers } = this.#library;
    const { parseLinkDestination, parseLinkLabel, parseLinkTitle } = helpers;
    helpers.parseLinkLabel = (state, start, disableNested) => {
      this.#steps.take("label");
      return parseLinkLabel(state, start, disableNested);
    };
    helpers.parseLinkDestination = (text, start, end) => {
      const found = parseLinkDestination(text, start, end);
      this.#steps.take("destination");
      this.#steps.take("address", found.ok ? found.pos - start : LONGEST_MISS);
      return found;
    };
    helpers.parseLinkTitle = (text, start, end, before) => {
      const found = parseLinkTitle(text, start, end, before);
      const scanned = found.ok ? found.pos - start : found.can_continue ? end - start : 1;
      this.#steps.take("address", scanned);
      return found;
    };
  }
}

/** The library gives an address up when it holds more than 32 parentheses that are open. */
const LONGEST_MISS = 240;
