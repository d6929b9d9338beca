import { expect, test } from "vitest";
import { shownCall, turnMarker } from "./transcript.ts";

test("the marker of a turn without an answer says how it ended", () => {
  const sentences = (["failed", "stopped", "interrupted"] as const).map((why) => turnMarker(why, why === "stopped"));
  expect(sentences).toEqual([
    "⟦this turn failed before it was answered; no tool ran; the request above is closed⟧",
    "⟦this turn was stopped before it was answered; tools may have run; the request above is closed⟧",
    "⟦this turn was interrupted before it was answered; no tool ran; the request above is closed⟧",
  ]);
});

test("a call is shown without what looks like a secret in its input", () => {
  const call = {
    id: "1.1",
    name: "send",
    input: { key: "sk-live-0123456789abcdef", to: "ada" },
    providerId: "toolu_1",
  };
  expect(shownCall(call)).toEqual({ id: "1.1", name: "send", input: { key: "[redacted]", to: "ada" } });
});
