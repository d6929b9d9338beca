import { expect, test } from "vitest";
import { turnMarker } from "./transcript.ts";

test("a turn without an answer is closed in a sentence that says how it ended", () => {
  const sentences = (["failed", "stopped", "interrupted"] as const).map((why) => turnMarker(why, why === "stopped"));
  expect(sentences).toEqual([
    "⟦this turn failed before it was answered; no tool ran; the request above is closed⟧",
    "⟦this turn was stopped before it was answered; tools may have run; the request above is closed⟧",
    "⟦this turn was interrupted before it was answered; no tool ran; the request above is closed⟧",
  ]);
});
