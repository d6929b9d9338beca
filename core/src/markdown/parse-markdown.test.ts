import { toString as textOf } from "mdast-util-to-string";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./parse-markdown.ts";
import { renderForTerminal } from "./render-for-terminal.ts";

describe("Markdown of a stranger", () => {
  it.each([
    ["quotes", "> ".repeat(5000)],
    ["quotes without spaces", ">".repeat(5000)],
    ["lists", "- ".repeat(5000)],
    ["emphasis", `${"*".repeat(5000)}a${"*".repeat(5000)}`],
    ["quotes a line each", Array.from({ length: 300 }, (_, depth) => `${">".repeat(depth)} a`).join("\n")],
    ["emphasis that does not end", "*a_".repeat(20_000)],
    ["brackets", "]".repeat(60_000)],
    ["underlines", "=\n".repeat(30_000)],
    ["blocks of emphasis", `${"_*".repeat(700)}\n\n`.repeat(40)],
  ])("may nest or repeat %s without end, and is plain text then", (_, text) => {
    expect(parseMarkdown(text).children).toMatchObject([{ type: "paragraph", children: [{ type: "text" }] }]);
    expect(textOf(parseMarkdown(text))).toBe(text);
    expect(renderForTerminal(text, { width: 80, color: true })).not.toBe("");
  });

  it("is read where signs are escaped, however many", () => {
    expect(textOf(parseMarkdown("\\*".repeat(4_096)))).toBe("*".repeat(4_096));
  });

  it("is read where there is much of it: a long list, a long table, much code", () => {
    const list = Array.from({ length: 400 }, (_, i) => `- **${i}**: a word`).join("\n");
    const table = `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(400)}`;
    const code = `\`\`\`json\n${'["*a_"],\n'.repeat(2_000)}\`\`\``;
    const types = parseMarkdown([list, table, code].join("\n\n")).children.map(({ type }) => type);
    expect(types).toEqual(["list", "table", "code"]);
  });

  it("is read with tables, tasks, strikethrough and bare links", () => {
    const tree = JSON.stringify(parseMarkdown("| a |\n|---|\n| ~~b~~ |\n\n- [x] c\n\nhttps://example.org"));
    for (const sign of ['"table"', '"delete"', '"checked":true', '"link"']) expect(tree).toContain(sign);
  });
});
