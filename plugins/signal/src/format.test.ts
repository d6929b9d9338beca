import { textFile } from "@hermes/core";
import { parseMarkdown, renderRanges } from "@hermes/core/markdown";
import { describe, expect, it } from "vitest";
import { dialect, render } from "./format.ts";

/** The text with its styles in it, so that a test can be read. */
function styled(markdown: string): string {
  const { text, ranges } = renderRanges(parseMarkdown(markdown), dialect);
  const marks = ranges.flatMap(({ start, length, style }) => [
    { at: start, mark: `<${style[0]}>` },
    { at: start + length, mark: `</${style[0]}>` },
  ]);
  return marks
    .sort((a, b) => b.at - a.at || (a.mark.startsWith("</") ? 1 : -1))
    .reduce((shown, { at, mark }) => shown.slice(0, at) + mark + shown.slice(at), text);
}

describe("Markdown on Signal", () => {
  it.each([
    ["**bold** _italic_ ~~gone~~ `code`", "<B>bold</B> <I>italic</I> <S>gone</S> <M>code</M>"],
    ["# A **heading**\n\ntext", "<B>A heading</B>\n\ntext"],
    ["```ts\nlet a;\n\nlet b;\n```", "<M>let a;\n\nlet b;</M>"],
    ["- one\n- two\n  - three\n", "• one\n• two\n   ◦ three"],
    ["3. one\n4. two", "3. one\n4. two"],
    ["- [x] done\n- [ ] open", "☑ done\n☐ open"],
    ["> quoted **words**\n> and more", "> quoted <B>words</B>\n> and more"],
    ["[the shop](https://shop.example)", "the shop (https://shop.example)"],
    ["<https://shop.example> or https://a.example", "https://shop.example or https://a.example"],
    ["![a cat](https://cat.example/1.png)", "a cat (https://cat.example/1.png)"],
    ["[the shop][1]\n\n[1]: https://shop.example", "the shop (https://shop.example)"],
    ["2 \\* 3 < 4 & a_b_c", "2 * 3 < 4 & a_b_c"],
    ["one\\\ntwo\n\n---\n\nthree", "one\ntwo\n\n———\n\nthree"],
  ])("%j", (markdown, shown) => {
    expect(styled(markdown)).toBe(shown);
  });

  it("shows a table in columns", () => {
    expect(styled("| name | n |\n| --- | --: |\n| a | 1 |\n| long | 22 |")).toBe(
      "<M>name │  n\n─────┼───\na    │  1\nlong │ 22</M>",
    );
  });

  it("counts styles in UTF-16 units, as Signal does", () => {
    expect(render({ kind: "answer", markdown: "👋 **there**" })).toEqual([
      { text: "👋 there", extra: { textStyles: ["3:5:BOLD"] } },
    ]);
  });
});

describe("a long answer", () => {
  it.each([
    ["letters", "word "],
    ["letters of two bytes", "Grüße äöü "],
    ["letters of three bytes", "汉字 "],
    ["emoji", "👩‍👩‍👧‍👦 "],
  ])("cuts a long answer of %s by bytes, not by characters, and loses nothing", (_, word) => {
    const markdown = word.repeat(Math.ceil(7_000 / Buffer.byteLength(word))).trim();
    const texts = render({ kind: "answer", markdown }).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(2);
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_000);
    expect(texts.join("")).toBe(markdown);
  });

  it("keeps a style that goes over the cut in both parts", () => {
    const pieces = render({ kind: "answer", markdown: `**${"word ".repeat(500).trim()}**` });
    expect(pieces.map(({ text, extra }) => extra?.textStyles?.toString() === `0:${text.length}:BOLD`)).toEqual([
      true,
      true,
    ]);
  });
});

describe("files", () => {
  it("follow the text, and an empty one is only named", () => {
    const file = textFile("a.txt", "text/plain", "a");
    const empty = textFile("b.txt", "text/plain", "");
    expect(render({ kind: "answer", markdown: "Here.", files: [file, empty] })).toEqual([
      { text: "Here." },
      { text: "", file },
      { text: "b.txt is empty." },
    ]);
  });
});
