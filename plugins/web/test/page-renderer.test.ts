import { effortOf } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadPageRenderer, type PageRenderer } from "./page-renderer.ts";

describe("a message on the page", () => {
  let page: PageRenderer;
  beforeAll(async () => {
    page = await loadPageRenderer();
  }, 60_000);
  afterAll(() => page[Symbol.asyncDispose]());

  it("rendering twice the text takes at most three times the work", { timeout: 240_000 }, () => {
    for (const { shape, once, twice } of effortOf((text) => page.render(text), 2_000)) {
      expect(twice, `${shape}: ${once}, ${twice}`).toBeLessThanOrEqual(3 * once);
    }
  });

  it("link definitions are read once, however many paragraphs there are", () => {
    const paragraphs = (count: number) => Array.from({ length: count }, (_, at) => `See [r${at}].\n\n`).join("");
    const definitions = (count: number) =>
      Array.from({ length: count }, (_, at) => `[r${at}]: https://example.org/${at}\n`).join("");
    expect(page.render(paragraphs(100) + definitions(100)).match(/href="https:\/\/example\.org\/\d+"/g)).toHaveLength(
      100,
    );
  });
});
