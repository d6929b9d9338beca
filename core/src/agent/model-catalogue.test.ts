import { describe, expect, it } from "vitest";
import { KNOWN_MODELS } from "./known-models.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { NO_FACTS, pricesFor } from "./model-facts.ts";
import { parseModelName } from "./model-name.ts";

describe("the catalogue of models", () => {
  it("knows the window and the prices of a model, and of which day", () => {
    expect(createModelCatalogue().factsOf("anthropic/claude-opus-5-5")).toEqual({
      window: 1_000_000,
      maxOutput: 128_000,
      images: true,
      pdf: true,
      prices: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      dated: "2026-11-29",
    });
  });

  it.each([
    ["anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"],
    ["openai/gpt-5.4-2026-03-05", "openai/gpt-5.4"],
    ["openrouter/anthropic/claude-opus-5.5", "anthropic/claude-opus-5-5"],
  ])("knows of %s what it knows of %s", (name, same) => {
    const catalogue = createModelCatalogue();
    expect(catalogue.factsOf(name)).toBe(catalogue.factsOf(same));
  });

  it.each(["ollama/qwen3", "anthropic/claude-opus", "no name", "", "__proto__"])("knows nothing of %j", (name) => {
    expect(createModelCatalogue({}).factsOf(name)).toEqual(NO_FACTS);
  });

  it("the catalogue takes what the config says of a model, and keeps the rest", () => {
    const catalogue = createModelCatalogue({
      "ollama/qwen3": { window: 32_768, maxOutput: undefined },
      "openai/gpt-4o": { prices: { input: 1, output: 2 } },
    });
    expect(catalogue.factsOf("ollama/qwen3")).toEqual({ ...NO_FACTS, window: 32_768 });
    expect(catalogue.factsOf("openai/gpt-4o")).toMatchObject({ window: 128_000, prices: { input: 1, output: 2 } });
  });

  it("the catalogue has valid names, and no answer is longer than the window", () => {
    for (const [name, { window, maxOutput, prices }] of KNOWN_MODELS) {
      expect(parseModelName(name).model).not.toBe("");
      expect(maxOutput).toBeLessThan(window ?? 0);
      if (prices !== null) expect(prices.cacheRead).toBeLessThan(prices.input);
    }
  });
});

describe("pricesFor", () => {
  it("charges a long request by the prices of long requests, as a whole", () => {
    const prices = { input: 2, output: 10, long: { over: 272_000, input: 4, output: 15 } };
    expect(pricesFor(prices, 272_000)).toEqual({ input: 2, output: 10 });
    expect(pricesFor(prices, 272_001)).toMatchObject({ input: 4, output: 15 });
    expect(pricesFor({ input: 2, output: 10 }, 9_000_000)).toEqual({ input: 2, output: 10 });
  });
});
