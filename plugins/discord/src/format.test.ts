import { textFile } from "@hermes/core";
import { parseMarkdown, renderMarkdown } from "@hermes/core/markdown";
import { describe, expect, it } from "vitest";
import { dialect, render } from "./format.ts";

const toDiscord = (markdown: string) => renderMarkdown(parseMarkdown(markdown), dialect);

const texts = (markdown: string) => render({ kind: "answer", markdown }).map(({ text }) => text);

describe("Markdown on Discord", () => {
  it.each([
    ["**bold**, *italic*, ~~gone~~ and `code`", "**bold**, *italic*, ~~gone~~ and `code`"],
    ["# One\n\n### Three\n\n#### Four **x**", "# One\n\n### Three\n\n**Four x**"],
    ["- a\n  - b\n- [x] done\n- [ ] open", "- a\n  - b\n- ☑ done\n- ☐ open"],
    ["3. a\n4. b\n   - c", "3. a\n4. b\n   - c"],
    ["> a\n> b\n>\n> > c", "> a\n> b\n> c"],
    ["```ts title=x\nlet a;\n```", "```ts\nlet a;\n```"],
    ["a\n\n---\n\nb", "a\n\n⎯⎯⎯⎯⎯⎯⎯⎯\n\nb"],
    ["one  \ntwo", "one\ntwo"],
    ["a[^1]\n\n[^1]: note", "a[1]\n\n[1] note"],
    ["**a *b* c**", "**a *b* c**"],
    ["<b>raw</b>", "<b>raw</b>"],
  ])("%j reads as it was meant", (markdown, discord) => {
    expect(toDiscord(markdown)).toBe(discord);
  });

  it.each([
    ["[text](https://example.org/a_(b))", "[text](https://example.org/a_%28b%29)"],
    ["<https://example.org/a_b_c>", "https://example.org/a_b_c"],
    ["[https://good.example](https://evil.example)", "https://good.example (<https://evil.example>)"],
    ["[text][1]\n\n[1]: https://example.org", "[text](https://example.org)"],
    ["[text][1]\n\n[1]: https://first.example\n[1]: https://second.example", "[text](https://first.example)"],
    ["![chart](https://example.org/c.png)", "[chart](https://example.org/c.png)"],
    ["[mail](mailto:a@example.org)", "mail (mailto:a@example.org)"],
    ["[a](./b.md)", "a (`./b.md`)"],
  ])("%j leads where it says", (markdown, discord) => {
    expect(toDiscord(markdown)).toBe(discord);
  });

  it.each([
    ["2 \\* 3 \\* 4", "2 \\* 3 \\* 4"],
    ["snake_case_name and \\_this\\_", "snake_case_name and \\_this\\_"],
    ["\\# no heading", "\\# no heading"],
    ["\\- no list", "\\- no list"],
    ["1\\. no list", "1\\. no list"],
    ["\\> no quote", "\\> no quote"],
    ["-\\# no small print", "\\-# no small print"],
    ["a || b || c", "a \\|\\| b \\|\\| c"],
    ["\\<@123456789012345678> \\<#1> \\<:a:1>", "\\<@123456789012345678> \\<#1> \\<:a:1>"],
    ["a < b && c > d", "a < b && c > d"],
    ["\\`\\`\\`", "\\`\\`\\`"],
  ])("%j is no markup", (markdown, discord) => {
    expect(toDiscord(markdown)).toBe(discord);
  });

  it("shows a narrow table with aligned columns, and a wide one as lists", () => {
    expect(toDiscord("| a | b |\n|---|--:|\n| x | 10 |")).toBe("```\na │  b\n──┼───\nx │ 10\n```");
    const wide = "word ".repeat(20).trim();
    expect(toDiscord(`| name | what |\n|---|---|\n| *x* | ${wide} |\n| y | z |`)).toBe(
      `**x**\n- what: ${wide}\n\n**y**\n- what: z`,
    );
  });

  it("keeps code together that holds backticks", () => {
    expect(toDiscord("````\n```\nx\n```\n````")).toBe("```\n``\u200b`\nx\n``\u200b`\n```");
    expect(toDiscord("`` a`b ``")).toBe("``a`b``");
  });

  it("sets code in lists and quotes free, so that it can be cut", () => {
    expect(toDiscord("- a\n\n  ```\n  code\n  ```\n- b")).toBe("- a\n```\ncode\n```\n- b");
    expect(toDiscord("> a\n>\n> ```\n> code\n> ```")).toBe("> a\n```\ncode\n```");
  });
});

describe("a long answer", () => {
  it("cuts an answer in a code block into messages that each close and reopen it", () => {
    const lines = Array.from({ length: 300 }, (_, at) => `const line${at} = "${"x".repeat(at % 40)}";`);
    const parts = texts(`Before.\n\n\`\`\`typescript\n${lines.join("\n")}\n\`\`\`\n\nAfter.`);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(2000);
      expect(part.split("\n").filter((line) => line.startsWith("```")).length % 2).toBe(0);
    }
    const code = parts
      .join("\n")
      .split("\n")
      .filter((line) => line.startsWith("const line"));
    expect(code).toEqual(lines);
  });

  it("a long answer is never cut within an emoji", () => {
    const family = "👩‍👩‍👧‍👦";
    const parts = texts(family.repeat(600));
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part.replaceAll(family, "")).toBe("");
    expect(parts.join("")).toBe(family.repeat(600));
  });
});

describe("what goes along", () => {
  it("each file is a message of its own", () => {
    const file = textFile("a.md", "text/markdown", "x");
    expect(render({ kind: "answer", markdown: "See:", files: [file] })).toEqual([{ text: "See:" }, { text: "", file }]);
  });

  it("links in Hermes' own lines have no preview", () => {
    expect(render({ kind: "notice", markdown: "https://example.org" })).toMatchObject([{ extra: { flags: 4 } }]);
  });
});
