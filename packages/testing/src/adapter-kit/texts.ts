/** A text that is hard to format and to split, with words `w1` … that must each arrive once, in order. */
export interface HardText {
  readonly name: string;
  readonly markdown: string;
  readonly words: number;
  /** A text that people must read literally, once with each word. */
  readonly literal?: string;
  /** The separator for joining pieces: empty if a word may be cut. */
  readonly joint: "" | "\n";
}

/** Makes hard texts of about `length` UTF-16 units. */
export function hardTexts(length: number): HardText[] {
  return [
    grow("emoji of several code points", length, (word) => `${word} 👩‍👩‍👧‍👦 🏳️‍🌈 é 汉字 🤷🏽‍♀️ `, "👩‍👩‍👧‍👦"),
    grow(
      "characters that markup is made of",
      length,
      (word) => `${word} 2 \\* 3 < 4 && 5 > 1 a\\_b\\_c [x] {y} #z! `,
      "< 4 && 5 >",
    ),
    grow(
      "paragraphs with bold, links and code",
      length,
      (word) => `**${word}** is _here_: [a link](https://example.org/?a=1&b=2) and \`x < y\`.\n\n`,
    ),
    grow("one long line without a space", length, (word) => `${word}${"-x".repeat(40)}-`),
    wrap(
      "a long code block",
      length,
      "```ts\n",
      (word) => `const ${word} = "<b>&amp; *not bold* 🙂";\n`,
      "```\n",
      "const",
    ),
    wrap("a long list", length, "", (word) => `- item ${word} with *some* emphasis\n`, ""),
    wrap("a long table", length, "| name | value |\n| --- | --- |\n", (word) => `| ${word} | a & b |\n`, ""),
    wrap(
      "prose around a code block",
      length,
      "Before it.\n\n",
      (word) => `Text ${word}.\n\n\`\`\`js\nrun();\n\`\`\`\n\n`,
      "After it.\n",
    ),
  ];
}

function grow(name: string, length: number, each: (word: string) => string, literal?: string): HardText {
  return wrap(name, length, "", each, "", literal);
}

function wrap(
  name: string,
  length: number,
  before: string,
  each: (word: string) => string,
  after: string,
  literal?: string,
): HardText {
  let text = before;
  let words = 0;
  while (text.length < length) text += each(`w${++words}`);
  const joint = text.includes(" ") ? "\n" : "";
  return { name, markdown: text + after, words, joint, ...(literal === undefined ? {} : { literal }) };
}

/** The words `w1` … in `text`, in order. */
export function wordsIn(text: string): string[] {
  return text.match(/(?<![a-z0-9])w\d+(?!\d)/gi) ?? [];
}
