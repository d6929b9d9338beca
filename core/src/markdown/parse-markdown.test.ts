import { HOSTILE_SHAPES, ordinaryMarkdown } from "@hermes/testing";
import { ORDINARY_ANSWERS } from "@hermes/testing/ordinary-answers";
import type { Paragraph } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { describe, expect, it } from "vitest";
import { renderForTerminal } from "../terminal/render-markdown.ts";
import { parseCounted, parseMarkdown, parseSections, type Section } from "./parse-markdown.ts";

describe("Markdown of a stranger", () => {
  it.each([
    ["quotes", "> ".repeat(5000)],
    ["quotes without spaces", ">".repeat(5000)],
    ["lists", "1. ".repeat(5000)],
    ["emphasis", `${"*a ".repeat(5000)}${" a*".repeat(5000)}`],
    ["quotes a line each", Array.from({ length: 300 }, (_, depth) => `${">".repeat(depth)} a`).join("\n")],
    ["images", `${"![".repeat(2000)}a${"](b)".repeat(2000)}`],
  ])("Markdown in which %s nest without end is parsed as plain text", (_, text) => {
    expect(parseMarkdown(text).children).toMatchObject([{ type: "paragraph", children: [{ type: "text" }] }]);
    expect(textOf(parseMarkdown(text))).toBe(text);
    expect(renderForTerminal(text, { width: 80, color: true })).not.toBe("");
  });

  it("parsing text of twice the length takes at most three times the steps", { timeout: 60_000 }, () => {
    expect(HOSTILE_SHAPES.length).toBeGreaterThanOrEqual(200);
    for (const { name, write } of HOSTILE_SHAPES) {
      const steps = [500, 1_000, 2_000, 4_000].map((length) => parseCounted(write(length)).steps);
      for (const [at, less] of steps.slice(0, -1).entries()) {
        expect(steps[at + 1], `${name}: ${steps.join(", ")}`).toBeLessThanOrEqual(3 * less + 100);
      }
    }
  });

  it("cells that a table fills up cost more steps than written ones", () => {
    const table = (row: string, rows: number) => `${"|a".repeat(100)}\n${"|-".repeat(100)}\n${`${row}\n`.repeat(rows)}`;
    const stepsOf = (text: string) => parseCounted(text, { most: Number.POSITIVE_INFINITY }).steps;
    // Without the text of the cells, which costs steps of its own.
    expect(stepsOf(table("|a", 100))).toBeGreaterThan(1.5 * stepsOf(table("|".repeat(101), 100)));
  });

  it("text that repeats one long link address is parsed as plain text", () => {
    const text = `[a]: https://a.example/${"b".repeat(5_000)}\n\n${"[a] ".repeat(2_000)}`;
    expect(textOf(parseMarkdown(text))).toBe(text);
  });

  it("any number of escaped characters is parsed", () => {
    expect(textOf(parseMarkdown("\\*".repeat(4_096)))).toBe("*".repeat(4_096));
  });

  it.each([
    ["a long list", "list", Array.from({ length: 400 }, (_, i) => `- **${i}**: a word`).join("\n")],
    ["a long table", "table", `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(400)}`],
    ["much code", "code", `\`\`\`json\n${'["*a_"],\n'.repeat(1_000)}\`\`\``],
  ])("a lot of Markdown is parsed: %s", (_, type, text) => {
    expect(parseMarkdown(text).children).toMatchObject([{ type }]);
  });

  it("an expensive text is parsed up to a budget, and plain from there on", () => {
    const sections = [...parseSections(`${ordinaryMarkdown(9_990)}\n\n${"*a* ".repeat(30_000)}`)];
    expect(sections[0]?.root.children.length).toBeGreaterThan(10);
    const plain = sections.filter(({ root }) => JSON.stringify(root).includes('"value":"*a* *a* '));
    expect(plain.length).toBeGreaterThan(2);
    expect(plain.at(-1)).toBe(sections.at(-1));
  });

  it("a section that nobody looks at takes nothing of the budget", () => {
    const text = "*a* bcd ".repeat(20_000);
    const isPlain = (section: Section | undefined) => JSON.stringify(section?.root).includes('"value":"*a* bcd ');
    expect([...parseSections(text)].map(isPlain).at(-1)).toBe(true);
    expect(isPlain([...parseSections(text)].at(-1))).toBe(false);
  });

  it("HTML that is not closed is text, and closed HTML after it is HTML", () => {
    const shown = (markdown: string) => {
      const [paragraph] = parseMarkdown(markdown).children;
      return (paragraph as Paragraph).children.map((node) => [node.type, "value" in node ? node.value : ""]);
    };
    expect(shown("a <?b <!-- c --> <?d")).toEqual([
      ["text", "a <?b "],
      ["html", "<!-- c -->"],
      ["text", " <?d"],
    ]);
    expect(shown("a <![CDATA[b]] <!-- c")).toEqual([["text", "a <![CDATA[b]] <!-- c"]]);
  });

  it("tables, tasks, strikethrough and bare links are parsed", () => {
    const tree = JSON.stringify(parseMarkdown("| a |\n|---|\n| ~~b~~ |\n\n- [x] c\n\nhttps://example.org"));
    for (const sign of ['"table"', '"delete"', '"checked":true', '"link"']) expect(tree).toContain(sign);
  });
});

describe("a long answer", () => {
  const lengths = ORDINARY_ANSWERS.map((answer) => ({ ...answer, length: 10_000 }));
  it.each([...lengths, { name: "some of everything", write: ordinaryMarkdown, length: 20_000 }])(
    "a long text is formatted to its end: $length characters of $name",
    ({ write, length }) => {
      for (const { markdown, root } of parseSections(write(length))) {
        // A text over the budget comes back as one piece of plain text.
        expect(root.children).not.toEqual([{ type: "paragraph", children: [{ type: "text", value: markdown }] }]);
      }
    },
  );
});

describe("a text that is too long to be read in one go", () => {
  const text = `${"Some words, [named](https://a.example) and [from afar], and more of them, as people write them in a letter.\n\n".repeat(2_000)}[from afar]: https://b.example\n`;

  it("a long text is parsed in sections that join to the original", () => {
    const sections = [...parseSections(text)];
    expect(sections.length).toBeGreaterThan(4);
    expect(sections.map(({ markdown }) => markdown).join("")).toBe(text);
    expect(sections.map(({ isLast }) => isLast).indexOf(true)).toBe(sections.length - 1);
  });

  it("link references resolve in every section, wherever they are defined", () => {
    for (const { root } of parseSections(text)) {
      expect(JSON.stringify(root.children[0])).toContain('"url":"https://b.example"');
    }
  });
});
