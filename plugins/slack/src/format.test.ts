import { parseMarkdown, renderMarkdown } from "@hermes/core/markdown";
import { describe, expect, it } from "vitest";
import { contentOf, dialect, plainContentOf, render } from "./format.ts";

const toMrkdwn = (markdown: string) => renderMarkdown(parseMarkdown(markdown), dialect);

describe("an answer in Slack's markup", () => {
  it.each([
    ["**bold**, *italic*, ~~gone~~, `code`", "*bold*, _italic_, ~gone~, `code`"],
    ["***both***", "_*both*_"],
    ["# A **title**", "*A title*"],
    ["**a *b* c**", "*a _b_ c*"],
    ["un**bold**ed", "un\u200b*bold*\u200bed"],
    ["*a*`` b`c ``", "_a_\u200bb`c"],
    ["**two\nlines**", "*two*\n*lines*"],
    ["[text](https://a.b/c?d=e&f) and <https://a.b>", "<https://a.b/c?d=e&amp;f|text> and <https://a.b>"],
    ["[**bold** | text](https://a.b/x|y)", "<https://a.b/x%7Cy|bold | text>"],
    ["[here](file:///etc/passwd)", "here (`file:///etc/passwd`)"],
    ["![a cat](https://a.b/cat.png)", "<https://a.b/cat.png|a cat>"],
    ["[ref][1]\n\n[1]: https://a.b", "<https://a.b|ref>"],
    ["[ref][1]\n\n[1]: https://a.b\n[1]: https://c.d", "<https://a.b|ref>"],
    ["1 < 2 && 3 > 2", "1 &lt; 2 &amp;&amp; 3 &gt; 2"],
    ["2 * 3 and snake_case", "2 * 3 and snake_case"],
    ["`` a`b ``", "a`b"],
    ["> quoted\n> twice", "> quoted\n> twice"],
    ["- one\n- two\n  - deep\n- [x] done\n- [ ] open", "• one\n• two\n    • deep\n• ☑ done\n• ☐ open"],
    ["3. three\n4. four", "3. three\n4. four"],
    ["a\n\n---\n\nb", "a\n\n———\n\nb"],
    ["<b>raw</b>", "&lt;b&gt;raw&lt;/b&gt;"],
    ["```js\na < b && `c`\n```", "```\na &lt; b &amp;&amp; `c`\n```"],
    ["| a | b |\n| --- | --: |\n| **x** | 10 |", "```\na │  b\n──┼───\nx │ 10\n```"],
  ])("%s", (markdown, mrkdwn) => {
    expect(toMrkdwn(markdown)).toBe(mrkdwn);
  });

  it("calls nobody: what looks like Slack's mentions is only text", () => {
    expect(toMrkdwn("<!channel> <@U123> [x](<!here>)")).not.toMatch(/<[!@]/);
  });

  it("keeps a code block whole that has three backticks in it", () => {
    expect(toMrkdwn("````\n```\ninner\n```\n````").match(/```/g)).toHaveLength(2);
  });
});

describe("a long answer", () => {
  const long = `${"A sentence of some length & more. ".repeat(90)}\n\n`.repeat(8);

  it("cuts an answer into messages below Slack's limit, in sections under 3,000", () => {
    const pieces = render({ kind: "answer", markdown: long });
    expect(pieces.length).toBeGreaterThan(2);
    for (const { text } of pieces) {
      const { blocks } = contentOf(text);
      expect(blocks.every((block) => block.text.text.length < 3_000)).toBe(true);
      expect(blocks.reduce((sum, block) => sum + block.text.text.length, 0)).toBeLessThan(9_000);
    }
    const said = pieces.map(({ text }) => text).join("");
    expect(said.replaceAll(/\s/g, "")).toBe(toMrkdwn(long).replaceAll(/\s/g, ""));
  });

  it("a long answer is never cut within a link or an escaped character", () => {
    const links = Array.from({ length: 900 }, (_, i) => `[the page about ${i}](https://a.b/${i})&`).join("");
    for (const { text } of render({ kind: "answer", markdown: links })) {
      for (const { text: section } of contentOf(text).blocks) {
        expect(section.text.match(/</g)?.length).toBe(section.text.match(/>/g)?.length);
        expect(section.text).not.toMatch(/&(?!amp;|lt;|gt;)/);
      }
    }
  });

  it("a long code block is closed and reopened at each cut", () => {
    const pieces = render({ kind: "answer", markdown: `\`\`\`\n${"let x = 1; // line\n".repeat(900)}\`\`\`` });
    for (const { text } of pieces) {
      for (const { text: section } of contentOf(text).blocks) expect(section.text.match(/```/g)).toHaveLength(2);
    }
  });

  it("a long answer has a short summary for notifications", () => {
    expect(contentOf("word ".repeat(1_500)).text.length).toBeLessThanOrEqual(1_000);
  });
});

describe("an answer whose blocks Slack refuses", () => {
  it("the plain version of an answer has the same text without markup", () => {
    expect(plainContentOf("*Hi* <https://a.b|there> &amp; `x`")).toEqual({ text: "Hi there &amp; x", mrkdwn: false });
  });
});
