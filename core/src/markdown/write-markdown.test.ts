import { expect, it } from "vitest";
import { fenced } from "./fence.ts";
import { markWords } from "./mark-words.ts";
import { parseMarkdown } from "./parse-markdown.ts";

it.each([
  ["a = 1", ""],
  ["```js\nb\n```", "md"],
  ["`````", ""],
])("fenced code with %j is one block, and parses to the same code", (code, language) => {
  expect(parseMarkdown(fenced(code, language)).children).toMatchObject([
    { type: "code", value: code, lang: language || null },
  ]);
});

it.each([
  ["bold", "**bold**"],
  [" bold \n", " **bold** \n"],
  ["two words", "**two words**"],
  ["  ", "  "],
])("markWords writes bold %j as %j", (text, markdown) => {
  expect(markWords(text, "**")).toBe(markdown);
});
