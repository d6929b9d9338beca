import { expect, test } from "vitest";
import { openToolCalls, turnMarker } from "./transcript.ts";

test("a turn without an answer is closed in a sentence that says how it ended", () => {
  const sentences = (["failed", "stopped", "interrupted"] as const).map((why) => turnMarker(why, why === "stopped"));
  expect(sentences).toEqual([
    "⟦this turn failed before it was answered; no tool ran; the request above is closed⟧",
    "⟦this turn was stopped before it was answered; tools may have run; the request above is closed⟧",
    "⟦this turn was interrupted before it was answered; no tool ran; the request above is closed⟧",
  ]);
});

test("a call is not open because a marker came before its result", () => {
  const call = { id: "a", name: "read", input: {} };
  const asked = { role: "assistant", toolCalls: [call] } as const;
  const marker = { role: "assistant" } as const;
  expect(openToolCalls([asked, marker, { role: "tool", toolCallId: "a" }])).toEqual([]);
  expect(openToolCalls([asked, marker, { role: "user" }])).toEqual([call]);
});
