import type { MessageEntity } from "grammy/types";
import { describe, expect, it } from "vitest";
import { toMarkdown } from "./inbound.ts";

type Plain = Pick<MessageEntity, "type" | "offset" | "length"> & { url?: string; language?: string };

const read = (text: string, ...entities: Plain[]) => toMarkdown(text, entities as MessageEntity[]);

describe("what a person wrote, as Markdown", () => {
  it.each<[string, string, Plain[]]>([
    ["a bold word", "a **bold** word", [{ type: "bold", offset: 2, length: 4 }]],
    [
      "both",
      "**_both_**",
      [
        { type: "bold", offset: 0, length: 4 },
        { type: "italic", offset: 0, length: 4 },
      ],
    ],
    [
      "all of it",
      "**all _of_ it**",
      [
        { type: "italic", offset: 4, length: 2 },
        { type: "bold", offset: 0, length: 9 },
      ],
    ],
    ["gone too", "~~gone~~ too", [{ type: "strikethrough", offset: 0, length: 5 }]],
    ["a `tick`", "a `` `tick` ``", [{ type: "code", offset: 2, length: 6 }]],
    [
      "see here",
      "see [here](https://a.example)",
      [{ type: "text_link", offset: 4, length: 4, url: "https://a.example" }],
    ],
    ["let a\n", "```ts\nlet a\n```", [{ type: "pre", offset: 0, length: 6, language: "ts" }]],
    ["one\ntwo", "> one\n> two", [{ type: "blockquote", offset: 0, length: 7 }]],
    ["😀 bold", "😀 **bold**", [{ type: "bold", offset: 3, length: 4 }]],
    ["https://a.example", "https://a.example", [{ type: "url", offset: 0, length: 17 }]],
  ])("%j reads %j", (text, markdown, entities) => {
    expect(read(text, ...entities)).toBe(markdown);
  });

  it("stays as it was typed where nothing is formatted", () => {
    expect(read("2*3*4 and snake_case [1] **maybe**")).toBe("2*3*4 and snake_case [1] **maybe**");
  });
});
