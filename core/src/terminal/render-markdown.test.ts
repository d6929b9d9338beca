import { stripVTControlCharacters } from "node:util";
import { seededRandom } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { columnsOf } from "../markdown/text-width.ts";
import { renderForTerminal } from "./render-markdown.ts";

const bare = (markdown: string, width = 40) => renderForTerminal(markdown, { width, color: false });
const styled = (markdown: string, width = 40) => renderForTerminal(markdown, { width, color: true });

describe("Markdown in the terminal", () => {
  it("styles are escape sequences, and Markdown's marks without colours", () => {
    expect(styled("# Tides\n\nIt is **very** `low`.")).toBe(
      "\u001b[1m\u001b[4mTides\u001b[24m\u001b[22m\n\nIt is \u001b[1mvery\u001b[22m \u001b[36mlow\u001b[39m.",
    );
    expect(bare("# Tides\n\nIt is **very** `low`, *now* or ~~never~~.")).toBe(
      "# Tides\n\nIt is **very** `low`, *now* or\n~~never~~.",
    );
  });

  it("lists are nested and numbered, with checkboxes for tasks", () => {
    expect(bare("- one\n  - [x] done\n  - [ ] open\n- two\n\n9. nine\n10. ten")).toBe(
      "• one\n  • [x] done\n  • [ ] open\n• two\n\n 9. nine\n10. ten",
    );
  });

  it("text wraps at the width, within lists and quotes, and breaks words too long", () => {
    expect(bare("- alpha beta gamma delta epsilon\n\n> alpha beta gamma delta epsilon", 20)).toBe(
      "• alpha beta gamma\n  delta epsilon\n\n│ alpha beta gamma\n│ delta epsilon",
    );
    expect(bare("a".repeat(50), 20)).toBe(`${"a".repeat(20)}\n${"a".repeat(20)}\n${"a".repeat(10)}`);
    expect(bare("日本語".repeat(5), 20)).toBe("日本語日本語日本語日\n本語日本語");
  });

  it("code is shown unchanged, indented, with its language", () => {
    expect(bare(`\`\`\`ts title=x\nconst a = 1;\n\n\treturn ${"x".repeat(60)};\n\`\`\``)).toBe(
      `  ts\n    const a = 1;\n\n        return ${"x".repeat(60)};`,
    );
  });

  it("the columns of a table are aligned, and a cell that does not fit is wrapped", () => {
    expect(bare("| Name | Count |\n|---|--:|\n| 日本 | 1 |\n| Ada | 22 |")).toBe(
      "Name │ Count\n─────┼──────\n日本 │     1\nAda  │    22",
    );
    expect(bare("| a | b |\n|---|---|\n| one two three four five | six |", 20)).toBe(
      "a              │ b\n───────────────┼────\none two three  │ six\nfour five      │",
    );
  });

  it("a link shows its address, whatever its text claims", () => {
    expect(bare("[https://good.example](https://evil.example)", 80)).toBe(
      "https://good.example (https://evil.example)",
    );
    expect(bare("<https://good.example> and [text][1]\n\n[1]: https://e.example", 80)).toBe(
      "https://good.example and text (https://e.example)",
    );
    expect(bare("![a chart](https://e.example/c.png)", 80)).toBe("a chart (https://e.example/c.png)");
  });

  it("an address is never broken, so that it can be opened", () => {
    const address = `https://example.org/${"path/".repeat(20)}`;
    expect(bare(`See ${address} now`, 30).split("\n")).toEqual(["See", address, "now"]);
  });

  it.each([
    "\u001b[2J\u001b[H",
    "\u001b]8;;https://evil.example\u0007text\u001b]8;;\u0007",
    "\u009b31m \u0090q \u0007\u0008\u007f",
    "`\u001b[31m`\n\n```\u001b[31m\n\u001b[31m\r\u001b[A\n```",
    "[\u001b[31m](https://e.example/\u001b[31m)",
    "<b\u001b[31m>\n\n| \u001b[31m |\n|---|\n| \u202e |",
    "[^\u001b]: note\n\na[^\u001b]",
    "&#27;[31m &#x9b;31m",
  ])("the terminal is not controlled by %j", (hostile) => {
    for (const text of [bare(hostile), stripVTControlCharacters(styled(hostile))]) {
      expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
    }
    // Not stripped, since that would hide sequences of the text itself: only styles may be left.
    expect(styled(hostile).replaceAll(/\p{Cc}\[(1|2|3|4|9|22|23|24|29|36|39)m/gu, "")).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it("wide and combined characters count as their columns", () => {
    expect(columnsOf("日本 👩‍👩‍👧‍👦 e\u0301")).toBe(9);
  });

  it("any prose fits the width", () => {
    const words = [
      "tide ",
      "**high water**, ",
      "日本語です",
      "👩‍👩‍👧‍👦 ",
      "e\u0301",
      "x".repeat(70),
      "\n",
      "\\\n",
      "`a b` ",
    ] as const;
    for (let seed = 0; seed < 300; seed++) {
      const random = seededRandom(seed);
      const text = Array.from({ length: 60 }, () => random.pick(words)).join("");
      const width = 20 + random.below(60);
      for (const line of bare(random.pick(["", "- ", "> ", "1. - "]) + text, width).split("\n")) {
        expect(columnsOf(line), `seed ${seed}: ${line}`).toBeLessThanOrEqual(width);
      }
    }
  });

  it("no text brings control characters to the terminal", () => {
    const scraps = [
      "# ",
      "**",
      "_",
      "- ",
      "1. ",
      "> ",
      "`",
      "\n",
      "\n\n",
      "    ",
      "| a ",
      "|\n|-|-|\n",
      "word ",
      "日本 ",
      "\u001b[1m",
      "&#27;",
      "👩‍👩‍👧‍👦 ",
      "[x](y) ",
      "<i>",
      "\r",
      "~~",
    ] as const;
    for (let seed = 0; seed < 400; seed++) {
      const random = seededRandom(seed);
      const text = Array.from({ length: 60 }, () => random.pick(scraps))
        .join("")
        .replaceAll("    ", seed % 2 ? "    " : " ");
      const width = 40 + random.below(60);
      const rendered = bare(text, width);
      expect(rendered, `seed ${seed}`).not.toMatch(/(?!\n)\p{Cc}/u);
      expect(stripVTControlCharacters(styled(text, width)), `seed ${seed}`).not.toMatch(/(?!\n)\p{Cc}/u);
    }
  });
});
