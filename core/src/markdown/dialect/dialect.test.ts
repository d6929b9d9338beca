import { describe, expect, it } from "vitest";
import {
  type Dialect,
  htmlDialect,
  parseMarkdown,
  rangeDialect,
  renderMarkdown,
  renderRanges,
  splitRanges,
  textDialect,
} from "../index.ts";

const marks: Dialect<string> = {
  ...textDialect({
    escape: (text) => text.replaceAll("&", "&amp;"),
    marks: { strong: "*", emphasis: "_", delete: "~" },
    bullets: ["•", "-"],
    link: ({ url, label }) => `${label} (${url})`,
  }),
  rule: () => "* * *",
};

describe("text with marks in it", () => {
  it.each([
    ["**a *b* c** & ~~d~~", "*a _b_ c* &amp; ~d~"],
    ["**a\nb**", "*a*\n*b*"],
    ["__a **b** c__", "*a b c*"],
    ["un**bold**ed", "un\u200b*bold*\u200bed"],
    ["# A **title**\n\n---", "*A title*\n\n* * *"],
    ["- a\n  - b\n    - c\n- [x] d", "• a\n    - b\n        - c\n• ☑ d"],
    ["> a\n>\n> b", "> a\n>\n> b"],
    ["![](https://a.example)", "image (https://a.example)"],
    ["````\n```\n````", "```\n``\u200b`\n```"],
    ["a[^1]\n\n[^1]: b", "a[1]\n\n[1] b"],
    ["|a|\n|-|\n|b|", "```\na\n─\nb\n```"],
    ["<div>\n**a**\n</div>", "<div>\n**a**\n</div>"],
  ])("a text dialect writes %j with its own marks", (markdown, text) => {
    expect(renderMarkdown(parseMarkdown(markdown), marks)).toBe(text);
  });

  it("marks span line breaks on a platform that reads them so", () => {
    const dialect = textDialect({
      escape: (text) => text,
      marks: { strong: "**", emphasis: "*", delete: "~~" },
      wordMarks: false,
      bullets: ["-"],
      link: ({ url }) => url,
    });
    expect(renderMarkdown(parseMarkdown("un**bo\nld**ed"), dialect)).toBe("un**bo\nld**ed");
  });
});

describe("text with ranges beside it", () => {
  const dialect = rangeDialect({ styles: { strong: "B", emphasis: "I", delete: "S", code: "M" } });
  const render = (markdown: string) => renderRanges(parseMarkdown(markdown), dialect);

  it("an outer range comes before the ranges within it", () => {
    expect(render("***a* b**").ranges).toEqual([
      { start: 0, length: 3, style: "B" },
      { start: 0, length: 1, style: "I" },
    ]);
  });

  it("a style is left out where the platform does not permit its nesting", () => {
    const root = parseMarkdown("**a *b* c**");
    expect(
      renderRanges(root, dialect, { permits: (_, open) => open.length === 0 }).ranges.map(({ style }) => style),
    ).toEqual(["B"]);
  });

  it("a style that cannot hold another one ends there, and goes on behind it", () => {
    const { ranges } = renderRanges(parseMarkdown("**a `b` _c_**"), dialect, {
      interrupts: (inner, outer) => inner === "M" && outer === "B",
      isTrimmed: (style) => style !== "M",
    });
    expect(ranges).toEqual([
      { start: 0, length: 2, style: "B" },
      { start: 2, length: 1, style: "M" },
      { start: 3, length: 2, style: "B" },
      { start: 4, length: 1, style: "I" },
    ]);
  });

  it("a trimmed style begins and ends at a word", () => {
    const root = parseMarkdown("[ two words ](https://a.example)");
    const linked = rangeDialect({
      styles: { strong: "B", emphasis: "I", delete: "S", code: "M" },
      linkStyle: () => "L",
    });
    expect(renderRanges(root, linked).ranges).toEqual([{ start: 0, length: 10, style: "L" }]);
    expect(renderRanges(root, linked, { isTrimmed: () => true }).ranges).toEqual([{ start: 1, length: 9, style: "L" }]);
  });

  it("every line of a quote and of a list item has its margin", () => {
    expect(render("> a\n> - b\n>   c").text).toBe("> a\n\n> • b\n>    c");
  });

  it("split parts join to the whole text, and a style continues after a cut", () => {
    const parts = splitRanges(render(`**${"word ".repeat(20)}end**`), { length: 60, unit: "bytes" });
    expect(parts.map(({ text }) => text).join("")).toBe(`${"word ".repeat(20)}end`);
    for (const { text, ranges } of parts) expect(ranges).toEqual([{ start: 0, length: text.length, style: "B" }]);
  });

  it("each part has at most as many ranges as the platform allows", () => {
    const parts = splitRanges(render("**a** b ".repeat(25)), { length: 1_000, unit: "utf16", mostRanges: 10 });
    expect(parts.map(({ ranges }) => ranges.length)).toEqual([10, 10, 5]);
  });
});

describe("HTML", () => {
  it.each([
    ["<div>\na & b\n</div>", "<p>&lt;div&gt;<br>a &amp; b<br>&lt;/div&gt;</p>"],
    ["- a\n\n  b\n- c", "<ul><li><p>a</p><p>b</p></li><li>c</li></ul>"],
    ["[](https://a.example)", '<p><a href="https://a.example">https://a.example</a></p>'],
    ['```"><b>\nx\n```', "<pre><code>x\n</code></pre>"],
  ])("the HTML for %j is safe and keeps its line breaks", (markdown, html) => {
    expect(renderMarkdown(parseMarkdown(markdown), htmlDialect)).toBe(html);
  });
});
