import { describe, expect, it } from "vitest";
import { cleanTitle, TITLE_LIMIT, titleFrom } from "./title.ts";

describe("a title", () => {
  it("an empty or too long title is refused", () => {
    expect(cleanTitle(" \u200b\n ")).toBeNull();
    expect(cleanTitle("😀".repeat(TITLE_LIMIT))).toBe("😀".repeat(TITLE_LIMIT));
    expect(cleanTitle("x".repeat(TITLE_LIMIT + 1))).toBeNull();
  });

  it("titles a session by its first message, cut at a word", () => {
    expect(titleFrom("Plan a trip")).toBe("Plan a trip");
    const title = titleFrom(`Please ${"consider ".repeat(20)}`) ?? "";
    expect(title).toMatch(/consider…$/);
    expect([...title].length).toBeLessThanOrEqual(49);
  });

  it("titles a session that begins with code by the words beside the code", () => {
    expect(titleFrom("```js\nlet x;\n``` why?")).toBe("why?");
    expect(titleFrom("```js\nlet x;")).toBeNull();
  });
});
