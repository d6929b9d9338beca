import { textFile } from "@hermes/core";
import { parseMarkdown, renderMarkdown } from "@hermes/core/markdown";
import { describe, expect, it } from "vitest";
import { dialect, render } from "./format.ts";
import { plainText, toMarkdown } from "./markup.ts";

const toMarkup = (markdown: string) => renderMarkdown(parseMarkdown(markdown), dialect);

describe("an answer in WhatsApp's markup", () => {
  it.each([
    ["**bold**, *italic*, ~~gone~~, `code`", "*bold*, _italic_, ~gone~, `code`"],
    ["***both***", "_*both*_"],
    ["# A **title**", "*A title*"],
    ["**a *b* c**", "*a _b_ c*"],
    ["un**bold**ed", "un\u200b*bold*\u200bed"],
    ["**two\nlines**", "*two*\n*lines*"],
    ["[text](https://a.b/c?d=e&f) and <https://a.b>", "text (https://a.b/c?d=e&f) and https://a.b"],
    ["[ref][1]\n\n[1]: https://a.b", "ref (https://a.b)"],
    ["[ref][1]\n\n[1]: https://a.b\n[1]: https://c.d", "ref (https://a.b)"],
    ["![a cat](https://a.b/cat.png)", "a cat (https://a.b/cat.png)"],
    ["[ada@a.b](mailto:ada@a.b)", "ada@a.b"],
    ["2 * 3 < 4 and snake_case", "2 * 3 < 4 and snake_case"],
    ["a lone \\* and \\*args", "a lone * and *args"],
    ["this is \\*not bold\\* at all", "this is `*not bold*` at all"],
    ["`` a`b ``", "a`b"],
    ["> quoted\n> twice", "> quoted\n> twice"],
    ["- one\n- two\n  - deep\n- [x] done\n- [ ] open", "- one\n- two\n    ◦ deep\n- ☑ done\n- ☐ open"],
    ["3. three\n4. four", "3. three\n4. four"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["<b>raw</b>", "<b>raw</b>"],
    ["```js\na < b && *c*\n```", "```\na < b && *c*\n```"],
    ["| a | b |\n| --- | --: |\n| **x** | 10 |", "```\na │  b\n──┼───\nx │ 10\n```"],
  ])("%s", (markdown, markup) => {
    expect(toMarkup(markdown)).toBe(markup);
  });

  it("keeps a code block whole that has three backticks in it", () => {
    expect(toMarkup("````\n```\ninner\n```\n````").match(/```/g)).toHaveLength(2);
  });

  it("plainText removes WhatsApp's markup", () => {
    expect(plainText(toMarkup("**bold** _and_ ~~gone~~ `x*y*` \\*literal\\* 2 * 3 a_b_c"))).toBe(
      "bold and gone x*y* *literal* 2 * 3 a_b_c",
    );
  });
});

describe("a message that a person formatted", () => {
  it.each([
    ["*bold* _italic_ ~gone~", "**bold** _italic_ ~~gone~~"],
    ["_*both*_", "_**both**_"],
    ["2 * 3 and 4 * 5, a_b_c", "2 * 3 and 4 * 5, a_b_c"],
    ["a lone * star\nand _ another", "a lone * star\nand _ another"],
    ["`*not bold*`", "`*not bold*`"],
    ["```let a = *b*;```", "```\nlet a = *b*;\n```"],
    ["*no\nend*", "*no\nend*"],
    ["**", "**"],
    ["> a quote\n- an item", "> a quote\n- an item"],
    ["*a _b* c_", "**a _b** c_"],
    ["*a *b* c*", "*a **b** c*"],
  ])("%s", (markup, markdown) => {
    expect(toMarkdown(markup)).toBe(markdown);
  });

  it.each([
    ["marks that nothing closes", " *a".repeat(200_000)],
    ["marks within marks", " *a".repeat(50_000) + " b*".repeat(50_000)],
    ["marks of every kind", " *a _b ~c".repeat(50_000) + " a~ b_ c*".repeat(50_000)],
  ])("a message formatted with %s delays nobody else", (_, text) => {
    const began = performance.now();
    expect(toMarkdown(text).length).toBeGreaterThanOrEqual(text.length);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("a long answer", () => {
  it("a long answer is split into messages of at most 4,096 characters", () => {
    const long = `${"A sentence of some *length* & more. ".repeat(90)}\n\n`.repeat(8);
    const pieces = render({ kind: "answer", markdown: long });
    expect(pieces.length).toBeGreaterThan(4);
    for (const { text } of pieces) expect(text.length).toBeLessThanOrEqual(4_096);
    expect(
      pieces
        .map(({ text }) => text)
        .join("")
        .replaceAll(/\s/g, ""),
    ).toBe(toMarkup(long).replaceAll(/\s/g, ""));
  });

  it("a text without a break is cut at 4,096 characters", () => {
    expect(render({ kind: "answer", markdown: "x".repeat(5_000) }).map(({ text }) => text.length)).toEqual([
      4_096, 904,
    ]);
  });

  it("a long code block is closed and reopened at each cut", () => {
    for (const { text } of render({
      kind: "answer",
      markdown: `\`\`\`\n${"let x = 1; // line\n".repeat(900)}\`\`\``,
    })) {
      expect(text.match(/```/g)).toHaveLength(2);
    }
  });

  it("a long answer is cut between characters as people see them", () => {
    for (const { text } of render({ kind: "answer", markdown: "👩‍👩‍👧‍👦".repeat(900) })) {
      expect(text).toMatch(/^(?:👩‍👩‍👧‍👦)+$/u);
    }
  });
});

describe("a file without content", () => {
  it("an empty file is named in a message, since WhatsApp refuses it", () => {
    const file = textFile("a.txt", "text/plain", "");
    expect(render({ kind: "answer", markdown: "Here.", files: [file] })).toEqual([
      { text: "Here." },
      { text: "a.txt is empty." },
    ]);
  });
});
