import { expect, it } from "vitest";
import { mostTokensOf, tokensOf } from "./tokens.ts";

it.each(["", "a", "ab", "Grüße", "你好，世界", "word ".repeat(1_000), "\u{1f44d}\ud800"])(
  "counts no fewer tokens at most than it estimates: %j",
  (text) => {
    const call = { id: "1", name: text, input: { text } };
    const parts = { model: "a", parts: JSON.stringify([text]) };
    for (const message of [{ text }, { text, toolCalls: [call] }, { text, providerParts: parts }]) {
      expect(mostTokensOf([message, { text }])).toBeGreaterThanOrEqual(tokensOf([message, { text }]));
    }
  },
);
