import { expect, it } from "vitest";
import { type RangeMark, rangesToMarkdown } from "./ranges-to-markdown.ts";

it.each<[string, [number, number, RangeMark][], string]>([
  ["a bold word", [[2, 4, "strong"]], "a **bold** word"],
  [
    "all of it",
    [
      [4, 2, "emphasis"],
      [0, 9, "strong"],
    ],
    "**all _of_ it**",
  ],
  [
    "one two three",
    [
      [0, 7, "strong"],
      [4, 9, "emphasis"],
    ],
    "**one _two_** _three_",
  ],
  ["a `tick`", [[2, 6, "code"]], "a `` `tick` ``"],
  ["a\nb", [[0, 3, "code"]], "```\na\nb\n```"],
  ["let a\n", [[0, 6, { codeBlock: "ts" }]], "```ts\nlet a\n```"],
  ["see here", [[4, 4, { link: "https://a.example" }]], "see [here](https://a.example)"],
  ["one\ntwo", [[0, 7, "quote"]], "> one\n> two"],
  [
    "Hello ?!",
    [
      [6, 1, { shown: "@Grace" }],
      [0, 8, "strong"],
    ],
    "**Hello @Grace!**",
  ],
  ["beyond", [[3, 99, "delete"]], "bey~~ond~~"],
])("rangesToMarkdown writes %j with ranges beside it as Markdown", (text, ranges, markdown) => {
  const given = ranges.map(([start, length, style]) => ({ start, length, style }));
  expect(rangesToMarkdown(text, given)).toBe(markdown);
});
