import { describe, expect, it } from "vitest";
import { cleanTitle, TITLE_LIMIT, titleFrom } from "./title.ts";

describe("a title", () => {
  it("an empty or too long title is refused", () => {
    expect(cleanTitle(" \u200b\n ")).toBeNull();
    expect(cleanTitle("😀".repeat(TITLE_LIMIT))).toBe("😀".repeat(TITLE_LIMIT));
    expect(cleanTitle("x".repeat(TITLE_LIMIT + 1))).toBeNull();
  });

  it("a session gets its first message as title, cut at a word", () => {
    expect(titleFrom("Plan a trip")).toBe("Plan a trip");
    const title = titleFrom(`Please ${"consider ".repeat(20)}`) ?? "";
    expect(title).toMatch(/consider…$/);
    expect([...title].length).toBeLessThanOrEqual(49);
  });

  it("the title of a message with a code block comes from the words outside the block", () => {
    expect(titleFrom("```js\nlet x;\n``` why?")).toBe("why?");
    expect(titleFrom("```js\nlet x;")).toBeNull();
  });

  it("a title keeps the words of formatted text without the markup", () => {
    expect(titleFrom("**plan** the _trip_ to [Rome](https://example.org)")).toBe("plan the trip to Rome");
    expect(titleFrom("- buy `milk`")).toBe("buy milk");
    expect(titleFrom("2 * 3 < 4 && a_b_c, [x]")).toBe("2 * 3 < 4 && a_b_c, [x]");
    expect(titleFrom("why does __init__ fail?")).toBe("why does __init__ fail?");
    expect(titleFrom("# 1. first")).toBe("1. first");
  });

  it("a title leaves out the marks for author and attachments", () => {
    expect(titleFrom('⟦from "Ann" #a1b2c3⟧\nplan the trip\n⟦attached: "a.txt", text/plain, 3 bytes⟧')).toBe(
      "plan the trip",
    );
  });
});
