import { expect, test } from "vitest";
import { openToolCalls, turnMarker } from "./transcript.ts";

test("the marker of a turn without an answer says how it ended", () => {
  const sentences = (["failed", "stopped", "interrupted"] as const).map((why) => turnMarker(why, why === "stopped"));
  expect(sentences).toEqual([
    "⟦this turn failed before it was answered; no tool ran; the request above is closed⟧",
    "⟦this turn was stopped before it was answered; tools may have run; the request above is closed⟧",
    "⟦this turn was interrupted before it was answered; no tool ran; the request above is closed⟧",
  ]);
});

test("a call with a result is not open although a marker came in between", () => {
  const call = { id: "a", name: "read", input: {} };
  const asked = { role: "assistant", toolCalls: [call] } as const;
  const marker = { role: "assistant" } as const;
  expect(openToolCalls([asked, marker, { role: "tool", toolCallId: "a" }])).toEqual([]);
  expect(openToolCalls([asked, marker, { role: "user" }])).toEqual([call]);
});
