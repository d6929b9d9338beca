import { describe, expect, it } from "vitest";
import { definitionsIn } from "./definitions.ts";
import { parseMarkdown } from "./parse-markdown.ts";

describe("an address that a link refers to by name", () => {
  it("is found behind the text, and in a quote or a list", () => {
    const text = "[a] [b] [c]\n\n> [a]: https://a.example\n\n- [b]: https://b.example\n\n[c]: https://c.example";
    expect(Object.fromEntries(definitionsIn(parseMarkdown(text)))).toEqual({
      a: "https://a.example",
      b: "https://b.example",
      c: "https://c.example",
    });
  });

  it("is the first one where a name is given twice", () => {
    const text = "[a]\n\n[a]: https://first.example\n[a]: https://second.example";
    expect(definitionsIn(parseMarkdown(text)).get("a")).toBe("https://first.example");
  });
});
