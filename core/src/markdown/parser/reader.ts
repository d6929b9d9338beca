import createMarkdownIt, { type MarkdownIt, type StateBlock, type Token } from "markdown-it";
import { webAddress } from "./bare-links.ts";
import { passEndlessHtml } from "./endless-html.ts";
import { defineFootnote, nameFootnote } from "./footnotes.ts";
import { type Kind, Steps, TooManySteps } from "./steps.ts";

/** The maximum nesting of quotes and lists: deeper than people nest. */
const DEEPEST = 32;

/** The maximum nesting of images in each other's label: nobody writes that. */
const DEEPEST_IMAGE = 4;

/** The definitions that any part of a text may reference: link addresses and footnotes. */
export interface Names {
  readonly references: Record<string, { readonly href: string; readonly title: string }>;
  readonly footnotes: Set<string>;
}

/** Tokenizes GitHub Flavored Markdown, and counts the steps of the work. */
export class Reader {
  readonly #library: MarkdownIt;
  #steps = new Steps(0, 0);
  /** The number of block tokens that were counted. */
  #tokens = 0;
  /** The number of counted tokens of the current inline text. */
  #marks = 0;
  #imagesAround = 0;

  constructor() {
    // The library's types lack `maxNesting`: how deep it looks into brackets, and where it would skip blocks.
    const options = { html: true, maxNesting: 40 };
    this.#library = createMarkdownIt(options);
    const { block, core, inline } = this.#library;
    // Addresses are kept as written; `keepSafeLinks` decides which of them may be opened.
    this.#library.normalizeLink = (url) => url;
    this.#library.normalizeLinkText = (text) => text;
    this.#library.validateLink = () => true;
    block.ruler.before("reference", "footnote", defineFootnote, { alt: ["paragraph", "reference"] });
    inline.ruler.before("link", "footnote", nameFootnote);
    inline.ruler.after("text", "web_address", webAddress);
    inline.ruler.before("html_inline", "endless_html", passEndlessHtml);
    // `TreeBuilder` joins text tokens itself.
    core.ruler.disable(["linkify", "replacements", "smartquotes", "text_join"]);
    this.#countBlocks();
    this.#countText();
    this.#countAddresses();
  }

  /** Tokenizes a text. Throws TooManySteps when `steps` runs out. Adds the definitions that it finds to `names`. */
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
    // Before all other rules, which are tried at the beginning of each block, and wherever it may end.
    const everywhere = { alt: ["paragraph", "reference", "blockquote", "list"] };
    block.ruler.before("table", "count", (state, line) => this.#countBlock(state, line), everywhere);
    const tokenize = block.tokenize.bind(block);
    block.tokenize = (state, startLine, endLine) => {
      // Well before the library would skip blocks that are nested too deep.
      if (state.level > DEEPEST) throw new TooManySteps();
      tokenize(state, startLine, endLine);
      // A line counts once for each block around it.
      this.#steps.take("line", state.line - startLine);
    };
  }

  /** Counts a block; also at each row of a table, where rules are tried again, its tokens and the cells it lacks. */
  #countBlock({ tokens, bMarks, eMarks, parentType }: StateBlock, line: number): false {
    const more = Math.max(0, tokens.length - this.#tokens);
    this.#tokens = tokens.length;
    const row = (eMarks[line - 1] ?? 0) - (bMarks[line - 1] ?? 0);
    // A cell has three tokens and at least one character; a row has two more tokens.
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
      // The label of an image is parsed again for each image around it.
      if (++this.#imagesAround > DEEPEST_IMAGE) throw new TooManySteps();
      parse(text, library, names, tokens);
      this.#imagesAround--;
      this.#marks = marks;
    };
  }

  /** The result of a rule that only counts: it never matches. */
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

/** In characters: the library gives up on an address with more than 32 open parentheses. */
const LONGEST_MISS = 240;
