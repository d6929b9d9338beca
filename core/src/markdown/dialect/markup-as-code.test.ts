import { expect, it } from "vitest";
import { parseMarkdown } from "../parse-markdown.ts";
import { markupAsCode } from "./markup-as-code.ts";
import { textDialect } from "./text-dialect.ts";
import { renderMarkdown } from "./walk.ts";

const dialect = textDialect({
  escape: markupAsCode(/[*_~`@]/g, /^(?:#+|[-+>]|\d+[.)])$/),
  marks: { strong: "**", emphasis: "*", delete: "~~" },
  wordMarks: false,
  bullets: ["*"],
  link: ({ url, shown }) => `[${shown()}](${url})`,
});
const written = (markdown: string) => renderMarkdown(parseMarkdown(markdown), dialect);

it.each([
  ["2 \\* 3 and 4 \\* 5", "2 `*` 3 and 4 `*` 5"],
  ["\\*not bold\\*, **bold**", "`*not` `bold*,` **bold**"],
  ["@all, a_b and \\`c", "`@all,` `a_b` and `` `c ``"],
  ["\\# no heading\n\\- no list\n1\\. no number - here", "`#` no heading\n`-` no list\n`1.` no number - here"],
  ["one # and 2. two", "one # and 2. two"],
  ["[a\\*b](https://a.example)", "[`a*b`](https://a.example)"],
  ["`already *code*`", "`already *code*`"],
])("text without escape characters: %s", (markdown, text) => {
  expect(written(markdown)).toBe(text);
  expect(written(markdown)).not.toContain("\u200b");
});
