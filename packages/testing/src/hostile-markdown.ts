import { beginCounting, countWork } from "./count-work.ts";
import { ordinaryMarkdown } from "./ordinary-markdown.ts";
import { seededRandom } from "./random.ts";

/** A kind of Markdown that costs a careless parser or renderer excessive time. */
export interface HostileShape {
  readonly name: string;
  /** Returns a text of exactly `length` UTF-16 units. Deterministic. */
  write(length: number): string;
}

type Fill = (length: number) => string;

/** Pieces to repeat, by the part of parsing that they attack. */
// biome-ignore format: a table, read by its rows
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  nesting: [
    ">", "> ", "> a\n\n", "> a\n>\n", "> a\n", "> - a\n", "> > > > > > > > a\n\n", ">>>>>>>>>>>>>>>> a\nb\n",
    "- ", "* + - ", "1. ", "1) 1. ", "- a\n\n", "- a\n\n  b\n", "- - - - - - - - a\n", "- [ ] ", "- > ",
    "1. > - ", "- a\n  - b\n    - c\n", "-\n", "*\n\n", "+ a\n- a\n", "> ```\n", "- ```\n",
  ],
  references: [
    "[a]", "[a][b]", "[a][]", "![a]", "[a]: b\n", "[a]: b\n\n", "[a]: <\n", '[a]: b "c\n', "[a]:\n", "[a\n",
    "[", "]", "![", "[a](", "[a](b", "[a](<b", '[a](b "c', "[a](b 'c", "[a](b (c", "[a](b)", "![a](b)",
    "[![a](b)", "[[a](b)", "[a [b](c) d](e) ", "](", "[]", "[]()", "[\\]", "[`a", "[<a>", "[*a",
  ],
  tables: [
    "|", "| ", "|a", "|-", "|\\|", "|`|`", "a|b\n-|-\n", "a|b\n-|-\n\n", "| a |\n|---|\n| b |\n\n", "|a|\n",
    "|-|\n", "| *a | _b |\n",
  ],
  autolinks: [
    "http://a.", "http://a.b ", "http://", "https://a.b/(", "https://a.b/)", "https://a.b/&amp;",
    "https://a.b?c=d&", "https://a.b/*", "www.", "www.a.", "www.a.b/c_d ", "a@b", "a@b.c", "a@b.c ", "a.b@",
    "a+", "a_b@c_d.e ", "<http://a", "<http://a>", "<a@b.c>", "mailto:a@b.c ", "ftp://a.b,", "://",
  ],
  footnotes: [
    "[^a]", "[^a]: b\n", "[^a]: b\n\n    c\n\n", "[^", "^[a", "[^a]: [^a]: ", "[^a]:\n",
  ],
  entities: [
    "&", "&a", "&amp;", "&#", "&#x", "&#120;", "&#x41;", "&CounterClockwiseContourIntegral;", "&;", "&copy",
    "\\&",
  ],
  emphasis: [
    "*", "_", "~", "~~", "*a", "a*", "**a", "a**", "***a", "_a", "a_ ", "*a_", "_*", "*a* ", "**a** ",
    "*a **b ", "**a*b", "a***b__c_d", "~~a", "~~a~~ ", "~a~ ", "*~_", "*a* _b_ **c** `d` ", "\\*", "* a ",
  ],
  code: [
    "`", "`a", "``a", "`a``b```c", "`a` ", "` ", "\\`", "```\n", "```a\n", "~~~\n", "~~~\n\n```\n",
    "    a\n", "    a\n\n", "\ta\n", "```\na\n```\n", " ``` a\n",
  ],
  HTML: [
    "<", ">", "</", "<a", "<a ", "<a b", '<a b="', "<a b='", "<a b=c ", "<a/", "<a>", "</a>", "<!", "<!-",
    "<!--", "<!-->", "<!a ", "<?", "<?a", "<![CDATA[", "<![CDATA[]]", "<div>\n", "<div>\n\n", "<pre>\n",
    "<b>*a*</b> ", "<a><a href=x>",
  ],
  lines: [
    "#", "# ", "# a\n", "# a #", "###### a ######\n", "=\n", "a\n=\n", "-\n\n", "a\n-\n", "---\n", "* * *\n",
    "_ ", "\\", "\\\n", "a  \n", "a\n", "a\n\n", "\n", "\r", "\r\n", " ", " \n", "\t", "\0", "a\\\n",
  ],
  characters: [
    "a", "\u0301", "👩‍👩‍👧‍👦", "🇫🇷", "😀", "日本", "\u202e", "\ud83d", "न\u093f", "\u200b", "ß.", ". ",
  ],
};

/** Texts whose parts depend on their position: each nests deeper, is longer, or refers to something new. */
const GROWING: Readonly<Record<string, Fill>> = {
  "quotes, each line one deeper": lines((at) => `${">".repeat(at)} a`),
  "lists, each item one deeper": lines((at) => `${"  ".repeat(at)}- a`),
  "lists, each item one deeper, then back": lines((at) => `${"  ".repeat(at % 60)}- a`),
  "numbers that grow": lines((at) => `${at}. a`),
  "runs of backticks, each one longer": pieces((at) => `a${"`".repeat(at)}`),
  "runs of stars, each one longer": pieces((at) => `a${"*".repeat(at)}`),
  "fences, each one longer": lines((at) => "`".repeat(at + 3)),
  "indentation that grows": lines((at) => `${" ".repeat(at)}a`),
  "emphasis that opens, then closes": halves("*a ", " a*"),
  "strong that opens, then closes": halves("**a ", " a**"),
  "emphasis of two kinds that opens, then closes": halves("*_", "_*"),
  "brackets that open, then close": halves("[", "]"),
  "links that open, then close": halves("[", "](a)"),
  "images that open, then close": halves("![", "](a)"),
  "parentheses of an address that open, then close": (length) => `[a](${halves("(", ")")(length - 5)})`,
  "parentheses behind an address": (length) => `https://a.b/${halves("(", ")")(length - 12)}`,
  "a long address that is named again and again": named((length) => `https://a.b/${"c".repeat(length)}`),
  "a long label that is named again and again": (length) => {
    const label = "a".repeat(Math.min(900, Math.floor(length / 4)));
    return `[${label}]: b\n\n${fill(`[${label}] `, length - label.length - 6)}`;
  },
  "paragraphs, and definitions that none of them names": (length) =>
    lines((at) => `A line ${at}.\n`)(Math.floor(length / 2)) + lines((at) => `[r${at}]: a${at}`)(Math.ceil(length / 2)),
  "definitions, each one named once": (length) =>
    lines((at) => `[r${at}]`)(Math.floor(length / 3)) + lines((at) => `[r${at}]: a${at}`)(Math.ceil((length * 2) / 3)),
  "definitions that all have one name": lines((at) => `[a]: b${at}`),
  "footnotes, each one named once": (length) =>
    lines((at) => `[^${at}]`)(Math.floor(length / 3)) + lines((at) => `[^${at}]: a`)(Math.ceil((length * 2) / 3)),
  "footnotes within footnotes": lines((at) => `${"    ".repeat(at)}[^${at}]: a\n`),
  "a table of many columns and rows": table((columns) => "|a".repeat(columns)),
  "a table of many columns and rows of one cell": table(() => "|a"),
  "a table of wide cells beside empty ones": (length) =>
    `|a|b|\n|-|-|\n|${"c".repeat(Math.floor(length / 2))}|d|\n${fill("|e|\n", Math.floor(length / 2))}`,
  "a table whose rule is cut off": (length) => `${fill("|a", length / 2)}\n${fill("|-", length / 2)}`,
  "one word": (length) => "x".repeat(length),
  "one character of many parts": (length) => `e${"\u0301".repeat(length - 1)}`,
  "one emoji of many parts": (length) => fill("👩\u200d", length),
  "quotes that only their first line marks": (length) => `${"> ".repeat(20)}${fill("a\n", length - 40)}`,
  "a list item that goes on for long": (length) => `- a\n${fill("  b\n\n", length - 4)}`,
  "a code block in a quote in a list": (length) => `- > \`\`\`\n${fill("  > a\n", length - 8)}`,
  "a heading that goes on for long": (length) => `# ${fill("*a* ", length - 2)}`,
  "a comment that does not end": (length) => `<!-- ${fill("-- > ", length - 5)}`,
  "attributes that do not end": (length) => `<a ${fill("b='c' ", length - 3)}`,
  "emphasis around spaces": (length) => `*a${" ".repeat(length - 4)}b*`,
  "a label that does not end": (length) => `[${fill("a\\]", length - 1)}`,
  "a title that does not end": (length) => `[a]: b "${fill("c\n", length - 8)}`,
};

const SCRAPS = [
  ...["**", "*", "_", "~~", "`", "```\n", "[", "]", "](", "a](b)", "![", "<", ">", "<a>", "&amp;", "\\", "|", "|-|\n"],
  ...["> ", "- ", "1. ", "# ", "\n", "\n\n", "    ", "\t", "a", "word ", "https://a.b/c ", "www.a.b", "a@b.c", "[^a]"],
  ...["[a]: b\n", "[^a]: b\n", "---\n", "===\n", "日本", "👩‍👩‍👧‍👦", "  \n"],
] as const;

/** The length of a random mixture, which is then repeated. */
const MIXTURE_LENGTH = 250;

/** The number of random mixtures. */
const MIXTURES = 24;

/** What an attacker, or a model gone astray, may write: about 250 shapes, each of any length. */
export const HOSTILE_SHAPES: readonly HostileShape[] = [
  ...Object.entries(REPEATED).flatMap(([kind, all]) =>
    all.map((piece) => shape(`${kind}: ${JSON.stringify(piece)} again and again`, (length) => fill(piece, length))),
  ),
  ...Object.entries(GROWING).map(([name, write]) => shape(name, write)),
  ...Array.from({ length: MIXTURES }, (_, seed) => shape(`a mixture of marks, seed ${seed}`, mixture(seed))),
];

/** The cost of a hostile text, and of one with the same shape and twice the length. */
export interface Effort {
  readonly shape: string;
  /** In steps of `countWork`; at least the steps for ordinary Markdown of that length. */
  readonly once: number;
  readonly twice: number;
}

/**
 * Steps a character that nobody notices; parsing takes many times as many. Where nothing is parsed, the length at which a
 * text is first cut into sections would count as a jump.
 */
const LITTLE = 10;

/**
 * Counts the work of `render` on each hostile shape, with the lengths `length` and `2 * length`. A renderer takes
 * linear time if `twice` is at most three times `once`.
 */
export function effortOf(render: (markdown: string) => unknown, length: number): Effort[] {
  const ordinary = ordinaryMarkdown(length);
  const texts = HOSTILE_SHAPES.flatMap(({ write }) => [write(length), write(2 * length)]);
  using _counting = beginCounting();
  // Warms up, so that one-time work is not counted.
  render(ordinary);
  const [usual = 0, ...steps] = countWork([ordinary, ...texts].map((text) => () => void render(text)));
  return HOSTILE_SHAPES.map(({ name }, at) => ({
    shape: name,
    once: Math.max(usual, steps[2 * at] ?? 0, LITTLE * length),
    twice: steps[2 * at + 1] ?? 0,
  }));
}

function shape(name: string, write: Fill): HostileShape {
  return {
    name,
    write: (length) => write(length).slice(0, length).padEnd(length, "a"),
  };
}

function fill(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length));
}

/** Fills the length with `piece(1)`, `piece(2)` … */
function pieces(piece: (at: number) => string): Fill {
  return (length) => {
    const parts: string[] = [];
    for (let at = 1, room = length; room > 0; at++) {
      const part = piece(at);
      parts.push(part);
      room -= part.length;
    }
    return parts.join("");
  };
}

function lines(line: (at: number) => string): Fill {
  return pieces((at) => `${line(at)}\n`);
}

function halves(open: string, close: string): Fill {
  return (length) => {
    const times = Math.floor(length / (open.length + close.length + 1));
    return `${open.repeat(times)}${"a".repeat(times)}${close.repeat(times)}`;
  };
}

/** A text whose first half defines what its second half references. */
function named(write: (length: number) => string): Fill {
  return (length) => `[a]: ${write(Math.floor(length / 2))}\n\n${fill("[a] ", Math.floor(length / 2))}`;
}

/** A table whose first half is the head, and whose second half is rows. */
function table(row: (columns: number) => string): Fill {
  return (length) => {
    const columns = Math.floor(Math.sqrt(length / 4)) + Math.floor(length / 40);
    return `${"|a".repeat(columns)}\n${"|-".repeat(columns)}\n${fill(`${row(columns)}\n`, length)}`;
  };
}

function mixture(seed: number): Fill {
  return (length) => {
    const random = seededRandom(seed);
    // Only a few kinds of scraps each, so that they combine often.
    const [first = "a", ...more] = Array.from({ length: 2 + random.below(6) }, () => random.pick(SCRAPS));
    return fill(pieces(() => random.pick([first, ...more]))(MIXTURE_LENGTH), length);
  };
}
