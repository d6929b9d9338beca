import { textFile } from "@hermes/core";
import { parseMarkdown, renderRanges } from "@hermes/core/markdown";
import { seededRandom } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { dialect, type Entity, render } from "./format.ts";

/** What one message shows. */
function formatMarkdown(markdown: string): { text: string; entities: Entity[] } {
  const [{ text, extra } = { text: "", extra: {} }] = pieces(markdown);
  return { text, entities: (extra?.entities ?? []) as Entity[] };
}

/** The text, with each entity's part of it in order. */
function shown(markdown: string): { text: string; marked: string[] } {
  const { text, entities } = formatMarkdown(markdown);
  const marked = entities.map(({ type, offset, length }) => `${type}: ${text.slice(offset, offset + length)}`);
  return { text, marked };
}

const WORDS: readonly [string, ...string[]] = [
  "**bold**",
  "`code`",
  "👩🏽‍🚀",
  "नि",
  "[a](https://a.example)",
  "word",
  "\n\n",
  "\n- ",
  "> q",
  "```\nx\n```\n",
];

/** All that is shown of a text, before it is cut. */
function wholeOf(markdown: string): string {
  return renderRanges(parseMarkdown(markdown), dialect).text;
}

function pieces(markdown: string) {
  return render({ kind: "answer", markdown });
}

describe("Markdown on Telegram", () => {
  it.each<[string, string, string[]]>([
    ["**bold**, *italic*, ~~gone~~", "bold, italic, gone", ["bold: bold", "italic: italic", "strikethrough: gone"]],
    ["# A `title`\n\nText", "A title\n\nText", ["bold: A ", "code: title"]],
    ["**_both_**", "both", ["bold: both", "italic: both"]],
    ["**bold `code` bold**", "bold code bold", ["bold: bold ", "code: code", "bold:  bold"]],
    ["[`code` link](https://a.example)", "code link", ["text_link: code link"]],
    ["<https://a.example> and https://b.example", "https://a.example and https://b.example", []],
    [
      "[here](docs/a.md), [mail](mailto:a@b.example)",
      "here (docs/a.md), mail (mailto:a@b.example)",
      ["code: docs/a.md"],
    ],
    [
      "[tap](tg://resolve?x), or tg:resolve",
      "tap (tg://resolve?x), or tg:resolve",
      ["code: tg://resolve?x", "code: tg:resolve"],
    ],
    ["<div>\ntg://resolve?x\n</div>", "<div>\ntg://resolve?x\n</div>", ["code: tg://resolve?x"]],
    ["![A cat](https://a.example/cat.png)", "A cat", ["text_link: A cat"]],
    ["[one][1]\n\n[1]: https://a.example", "one", ["text_link: one"]],
    ["```ts title=a.ts\nlet a = 1;\n  let b;\n```", "let a = 1;\n  let b;", ["pre: let a = 1;\n  let b;"]],
    ["> one\n>\n> > two\n\nthree", "one\n\ntwo\n\nthree", ["blockquote: one\n\ntwo"]],
    ["one\n\n---\n\ntwo", "one\n\n———\n\ntwo", []],
    ["a <b>tag</b> & more", "a <b>tag</b> & more", []],
    ["2 \\* 3 \\_ 4", "2 * 3 _ 4", []],
    ["line\nbreak  \nhard", "line\nbreak\nhard", []],
  ])("%j reads %j", (markdown, text, marked) => {
    expect(shown(markdown)).toEqual({ text, marked });
  });

  it("shows lists with their nesting, numbers and boxes", () => {
    expect(shown("- one\n  - two\n    more\n  - [x] done\n- [ ] open\n\n3. three\n4. four").text).toBe(
      "• one\n   ◦ two\n      more\n   ☑ done\n☐ open\n\n3. three\n4. four",
    );
  });

  it("shows code in a list as code, at the margin", () => {
    expect(shown("- one:\n\n  ```\n  a\n    b\n  ```\n- two")).toEqual({
      text: "• one:\n\na\n  b\n• two",
      marked: ["pre: a\n  b"],
    });
  });

  it("shows a table as code with aligned columns", () => {
    expect(shown("| a | long |\n| - | ---: |\n| **x** | 1 |")).toEqual({
      text: "a │ long\n──┼─────\nx │    1",
      marked: ["pre: a │ long\n──┼─────\nx │    1"],
    });
  });

  it("names the language of code, where it is one", () => {
    expect(formatMarkdown("```c++\na\n```").entities).toMatchObject([{ type: "pre", language: "c++" }]);
    expect(formatMarkdown('```"><b>\na\n```').entities[0]).not.toHaveProperty("language");
  });
});

describe("a long answer", () => {
  it("a long answer is measured after formatting, in UTF-16 units", () => {
    expect(pieces(`**${"x".repeat(4_096)}**`)).toHaveLength(1);
    expect(pieces("\\*".repeat(4_096))).toHaveLength(1);
    expect(pieces("😀".repeat(2_049)).map(({ text }) => text.length)).toEqual([4_096, 2]);
  });

  it("goes on as code in the next message where code is cut, between two lines", () => {
    const [first, second] = pieces(`\`\`\`ts\n${`${"x".repeat(99)}\n`.repeat(60)}\`\`\``);
    expect(first?.text.endsWith("\n")).toBe(true);
    const whole = (text = "") => [{ type: "pre", language: "ts", offset: 0, length: text.length }];
    expect(first?.extra?.entities).toEqual(whole(first?.text));
    expect(second?.extra?.entities).toEqual(whole(second?.text));
  });

  it("a message has at most 100 formatting entities", () => {
    const found = pieces("**a** b ".repeat(250));
    expect(found).toHaveLength(3);
    for (const { extra } of found) expect(Object(extra?.entities).length).toBeLessThanOrEqual(100);
  });

  it("any text's parts join to the whole, with marks in bounds and no character cut", () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = seededRandom(seed);
      const markdown = Array.from({ length: 1_000 }, () => random.pick(WORDS)).join(random.pick([" ", "", "  "]));
      const found = pieces(markdown);
      expect(found.map(({ text }) => text).join(""), `seed ${seed}`).toBe(wholeOf(markdown));
      for (const { text, extra } of found) {
        expect(text.length).toBeLessThanOrEqual(4_096);
        expect(text.isWellFormed()).toBe(true);
        for (const { offset, length } of (extra?.entities ?? []) as { offset: number; length: number }[]) {
          expect(offset >= 0 && length > 0 && offset + length <= text.length, `seed ${seed}`).toBe(true);
        }
      }
    }
  });

  it("sends no message of nothing but spaces", () => {
    expect(pieces(`\`\`\`\na${"\n".repeat(9_000)}b\n\`\`\``).every(({ text }) => text.trim() !== "")).toBe(true);
  });
});

describe("files", () => {
  it("come behind what is said, and an empty one is named", () => {
    const file = (name: string, text: string) => textFile(name, "text/plain", text);
    const files = [file("a.txt", "a"), file("b.txt", "")];
    expect(render({ kind: "answer", markdown: "Here.", files })).toEqual([
      { text: "Here." },
      { text: "", file: files[0] },
      { text: "b.txt is empty." },
    ]);
  });
});
