import { type Random, seededRandom } from "@hermes/testing";
import type { Nodes } from "mdast";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./parse-markdown.ts";
import { type SplitOptions, splitParts, splitText } from "./split-text.ts";
import { sizeOf, type TextUnit } from "./text-unit.ts";

const UNITS: [TextUnit, ...TextUnit[]] = ["utf16", "codepoints", "bytes"];

const WORDS: [string, ...string[]] = [
  "the",
  "tide",
  "turns",
  "at",
  "noon.",
  "Привет",
  "日本語です。",
  "👩🏽‍🚀",
  "🇫🇷🇩🇪",
  "e\u0301",
  "नि",
  "`code`",
  "**bold**",
  "https://example.org/a/long/path?with=query&and=more",
  "x".repeat(50),
  "\\*",
  "a ```b``` c",
  "\ud83d",
  "--",
  "1.",
];

function line(random: Random): string {
  return Array.from({ length: random.below(12) }, () => random.pick(WORDS)).join(random.pick([" ", " ", "  ", ""]));
}

function codeLine(random: Random): string {
  return (
    random.pick(["  ", "", "\t"]) +
    random.pick(["const x = 1;", "return `a`;", "// 👩‍👩‍👧‍👦 done", "", "y ``` z", "} // é", "w".repeat(90)])
  );
}

function block(random: Random): string {
  const marker = random.pick(["```", "````", "~~~"]);
  const lines = Array.from({ length: 1 + random.below(8) }, () => line(random));
  const code = Array.from({ length: random.below(12) }, () => codeLine(random));
  return random.pick([
    lines.join("\n"),
    lines.join(" "),
    lines.map((text) => `- ${text}`).join("\n"),
    [`${marker}${random.pick(["", "ts", "python title=a.py"])}`, ...code, marker].join("\n"),
  ]);
}

function document(random: Random): string {
  const separator = random.pick(["\n\n", "\n\n\n", "\r\n\r\n"]);
  return (
    Array.from({ length: 1 + random.below(10) }, () => block(random)).join(separator) + random.pick(["", "\n", "\n\n"])
  );
}

function codeOf(markdown: string): string[] {
  const found: string[] = [];
  const walk = (node: Nodes) => {
    if (node.type === "code") found.push(node.value);
    if ("children" in node) node.children.forEach(walk);
  };
  walk(parseMarkdown(markdown));
  return found;
}

const join = (text: string, options: SplitOptions) =>
  splitParts(text, options)
    .map((part) => part.own)
    .join("");

describe("a long text, cut into messages", () => {
  it("the parts of any text are within the limit, lose nothing, and cut no character", () => {
    for (let seed = 0; seed < 600; seed++) {
      const random = seededRandom(seed);
      const text = document(random);
      const options = { length: 40 + random.below(400), unit: random.pick(UNITS) };
      const parts = splitParts(text, options);
      const name = `seed ${seed}`;
      expect(parts.map((part) => part.own).join(""), name).toBe(text);
      for (const { reopened, own, closed } of parts) {
        expect(sizeOf(reopened + own + closed, options.unit), name).toBeLessThanOrEqual(options.length);
        expect(own.length, name).toBeGreaterThan(0);
      }
      const ends = new Set([
        0,
        ...[...new Intl.Segmenter().segment(text)].map(({ index, segment }) => index + segment.length),
      ]);
      let at = 0;
      for (const { own } of parts) {
        at += own.length;
        expect(ends, name).toContain(at);
      }
    }
  });

  it("the parts of a text have balanced code blocks at a usual length", () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seededRandom(seed);
      const text = document(random).replaceAll("\r\n", "\n");
      const parts = splitText(text, { length: 200 + random.below(2000), unit: random.pick(UNITS) });
      const code = (documents: string[]) => documents.flatMap(codeOf).join("").replaceAll(/\s/g, "");
      expect(code(parts), `seed ${seed}`).toBe(code([text]));
    }
  });

  it.each([
    `\`\`\`\n${"a".repeat(30)} \`\`\`\nb b b b b b b b b b b b\n\`\`\`\nEnd.`,
    `\`\`\`\n\`\`\` ${"c ".repeat(30)}\nd\n\`\`\`\nEnd.`,
    `${"word ".repeat(8)}\`\`\`sh\nmore words that are no code at all\nand so on`,
    `\`\`\`x\`\`\` ${"word ".repeat(12)}`,
  ])("no part of a cut line is read as a fence: %j", (text) => {
    const code = (documents: string[]) => documents.flatMap(codeOf).join("").replaceAll(/\s/g, "");
    for (let length = 24; length < 90; length++) {
      expect(code(splitText(text, { length, unit: "utf16" })), `length ${length}`).toBe(code([text]));
    }
  });

  it("a text that fits stays whole, and an empty text has no parts", () => {
    expect(splitText("One.\n\nTwo.", { length: 10, unit: "utf16" })).toEqual(["One.\n\nTwo."]);
    expect(splitText("", { length: 10, unit: "utf16" })).toEqual([]);
  });

  it.each<[string, string, number, string[]]>([
    ["between paragraphs", "First one.\n\nSecond one.", 16, ["First one.\n\n", "Second one."]],
    ["between lines", "First line\nsecond line", 16, ["First line\n", "second line"]],
    ["between sentences", "It is so. And so on it goes", 20, ["It is so. ", "And so on it goes"]],
    ["between words", "alpha beta gamma delta", 12, ["alpha beta ", "gamma delta"]],
    ["within a word that is too long", "abcdefghijkl", 5, ["abcde", "fghij", "kl"]],
    ["never within an emoji", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 15, ["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]],
    ["never within a surrogate pair, even if a character is too large", "😀😀", 1, ["😀", "😀"]],
  ])("a long text is cut %s", (_, text, length, parts) => {
    expect(splitText(text, { length, unit: "utf16" })).toEqual(parts);
  });

  it("a cut code block is closed, and opened again with its language", () => {
    const text = "Look:\n\n```ts\nconst one = 1;\nconst two = 2;\nconst three = 3;\n```\nDone.";
    expect(splitText(text, { length: 48, unit: "utf16" })).toEqual([
      "Look:\n\n```ts\nconst one = 1;\nconst two = 2;\n```",
      "```ts\nconst three = 3;\n```\nDone.",
    ]);
  });

  it("a part ends before a code block that would be cut right after its start", () => {
    const text = `${"word ".repeat(12)}\n\n\`\`\`\na\nb\nc\n\`\`\``;
    expect(splitText(text, { length: 70, unit: "utf16" })[1]).toBe("```\na\nb\nc\n```");
  });

  it("a very long language keeps parts within the limit", () => {
    const text = `\`\`\`${"long".repeat(100)}\nconst a = 1;\n\`\`\`\n\nAfter.`;
    const parts = splitText(text, { length: 50, unit: "utf16" });
    expect(parts.every((part) => part.length <= 50)).toBe(true);
    expect(parts.at(-1)).toContain("After.");
    expect(parts.every((part) => codeOf(part).length <= 1)).toBe(true);
    expect(join(text, { length: 50, unit: "utf16" })).toBe(text);
  });

  it("a very long fence keeps parts within the limit", () => {
    const text = `${"`".repeat(300)}\ncode\n${"`".repeat(300)}\n`;
    expect(splitText(text, { length: 50, unit: "bytes" }).every((part) => part.length <= 50)).toBe(true);
    expect(join(text, { length: 50, unit: "bytes" })).toBe(text);
  });

  it("a megabyte on one line is split in reasonable time", () => {
    const startedAt = performance.now();
    expect(join("word ".repeat(200_000), { length: 2000, unit: "bytes" })).toHaveLength(1_000_000);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  it("splitting a long fence line takes about as long as a line of words", () => {
    const words = "word ".repeat(40_000);
    const limit = { length: 20_000, unit: "utf16" } as const;
    const timeOf = (text: string) => {
      const from = process.threadCpuUsage();
      splitText(text, limit);
      const { user, system } = process.threadCpuUsage(from);
      return user + system;
    };
    const fastest = (text: string) => Math.min(...[1, 2, 3].map(() => timeOf(text)));
    expect(fastest(`~~~ ${words}`)).toBeLessThan(10 * Math.max(fastest(words), 5_000));
  });

  it("an invalid limit throws", () => {
    expect(() => splitText("text", { length: 0, unit: "utf16" })).toThrow(RangeError);
  });
});
