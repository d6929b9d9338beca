import type { Table } from "mdast";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./parse-markdown.ts";
import { tableText } from "./table-text.ts";

function shown(markdown: string): string[] {
  return tableText(parseMarkdown(markdown).children[0] as Table).split("\n");
}

describe("a table as text", () => {
  it("a table becomes aligned text columns, without the cells' markup", () => {
    expect(shown("| what | **cost** |\n| :-- | --: |\n| `a` [b](https://b.example) | 7 |\n| longer | 1234 |")).toEqual([
      "what   │ cost",
      "───────┼─────",
      "a b    │    7",
      "longer │ 1234",
    ]);
  });

  it("a table with wide characters and missing cells stays aligned", () => {
    expect(shown("| 日本 | x |\n| - | - |\n| a |\n| 👩🏽‍🚀 | y |")).toEqual([
      "日本 │ x",
      "─────┼──",
      "a    │",
      "👩🏽‍🚀   │ y",
    ]);
  });
});
