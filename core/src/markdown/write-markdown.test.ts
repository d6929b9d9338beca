import { expect, it } from "vitest";
import { fenced } from "./fenced.ts";
import { markWords } from "./mark-words.ts";
import { parseMarkdown } from "./parse-markdown.ts";

it.each([
  ["a = 1", ""],
  ["```js\nb\n```", "md"],
  ["`````", ""],
])("code that holds %j is one block, and reads the same again", (code, language) => {
  expect(parseMarkdown(fenced(code, language)).children).toMatchObject([
    { type: "code", value: code, lang: language || null },
  ]);
});

it.each([
  ["bold", "**bold**"],
  [" bold \n", " **bold** \n"],
  ["two words", "**two words**"],
  ["  ", "  "],
])("%j that a person made bold is %j", (text, markdown) => {
  expect(markWords(text, "**")).toBe(markdown);
});
