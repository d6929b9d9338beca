import { describe, expect, it } from "vitest";
import { toMarkdown } from "./inbound-text.ts";

const range = (style: string, start: number, length: number) => ({ style, start, length });

describe("what a person wrote with styles", () => {
  it.each([
    ["bold word", [range("BOLD", 0, 4)], "**bold** word"],
    ["👋 bold", [range("BOLD", 3, 4)], "👋 **bold**"],
    ["all three", [range("BOLD", 0, 9), range("ITALIC", 4, 5)], "**all _three_**"],
    ["one two three", [range("BOLD", 0, 7), range("ITALIC", 4, 9)], "**one _two_** _three_"],
    ["struck", [range("STRIKETHROUGH", 0, 6)], "~~struck~~"],
    ["a ` tick", [range("MONOSPACE", 2, 1)], "a `` ` `` tick"],
    ["let a;\nlet b;", [range("MONOSPACE", 0, 13)], "```\nlet a;\nlet b;\n```"],
    ["a secret", [range("SPOILER", 2, 6)], "a secret"],
    ["bold with space ", [range("BOLD", 0, 16)], "**bold with space** "],
    ["too long", [range("BOLD", 4, 99)], "too **long**"],
    ["*as* typed", [], "*as* typed"],
    ["twice bold", [range("BOLD", 0, 5), range("BOLD", 0, 5)], "**twice** bold"],
    ["one two", [range("BOLD", 0, 3), range("BOLD", 3, 4)], "**one two**"],
    ["👋👋", [range("BOLD", 1, 2)], "**👋👋**"],
    ["short", [range("BOLD", 9, 3), range("ITALIC", -4, 2), range("BOLD", 2, -1)], "short"],
    ["from before", [range("BOLD", -2, 6)], "**from** before"],
    ["half \ud83d a pair", [], "half \ufffd a pair"],
  ])("%j reads as Markdown", (text, styles, markdown) => {
    expect(toMarkdown(text, styles)).toBe(markdown);
  });

  it("mentions become names, also within a style", () => {
    const mentions = [{ start: 6, length: 1, shown: "@Grace" }];
    expect(toMarkdown("Hello \ufffc!", [range("BOLD", 0, 8)], mentions)).toBe("**Hello @Grace!**");
  });

  it("any number of styles and mentions is read without delay", () => {
    const text = "word ".repeat(20_000);
    const many = Array.from({ length: 50_000 }, (_, at) => at);
    const apart = many.map((at) => range("BOLD", at * 2, 1));
    const crossing = many.map((at) => range(at % 2 === 0 ? "ITALIC" : "MONOSPACE", at, 50_000 - at));
    const styles = apart.flatMap((one, at) => [one, crossing[at] ?? one]);
    const mentions = many.map((at) => ({ start: at, length: 50_000, shown: "@Grace" }));
    const before = performance.now();
    expect(toMarkdown(text, styles, mentions)).toContain("word");
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
