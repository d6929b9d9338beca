import { seededRandom } from "@hermes/testing";
import { expect, it } from "vitest";
import { charactersOf } from "./text-width.ts";

const FAMILIAR = [
  ...[
    "a",
    "é",
    "e\u0301\u0302",
    "日",
    "한",
    "\u0301",
    "\u200d",
    "\ufe0f",
    "©",
    "→",
    "✅",
    "❤️",
    "1\ufe0f\u20e3",
    "\ufffd",
  ],
  ...["😀", "👍🏽", "🏽", "👩‍👩‍👧‍👦", "👩🏽‍💻", "🏳️‍🌈", "🇫🇷", "🇫", "e\u200d👩"],
] as const;
const OTHERS = ["न\u093f", "ᄒ", "ก็", "\u0600a"] as const;

it("charactersOf agrees with Unicode's segmentation", () => {
  const segmenter = new Intl.Segmenter();
  for (let seed = 0; seed < 2_000; seed++) {
    const random = seededRandom(seed);
    // Half of the texts have only scripts that the patterns handle.
    const pick = () => random.pick(seed % 2 === 0 ? FAMILIAR : ([...FAMILIAR, ...OTHERS] as const));
    const text = Array.from({ length: 1 + random.below(12) }, pick).join("");
    const expected = Array.from(segmenter.segment(text), ({ segment }) => segment);
    expect(charactersOf(text), JSON.stringify(text)).toEqual(expected);
  }
});
