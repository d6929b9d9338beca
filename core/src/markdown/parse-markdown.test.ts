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
  ])("may nest %s without end, and is plain text then", (_, text) => {
    expect(parseMarkdown(text).children).toMatchObject([{ type: "paragraph", children: [{ type: "text" }] }]);
    expect(textOf(parseMarkdown(text))).toBe(text);
    expect(renderForTerminal(text, { width: 80, color: true })).not.toBe("");
  });

  it("is read with tables, tasks, strikethrough and bare links", () => {
    const tree = JSON.stringify(parseMarkdown("| a |\n|---|\n| ~~b~~ |\n\n- [x] c\n\nhttps://example.org"));
    for (const sign of ['"table"', '"delete"', '"checked":true', '"link"']) expect(tree).toContain(sign);
  });
});
