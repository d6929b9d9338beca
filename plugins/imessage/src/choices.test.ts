import type { Choice } from "@hermes/core";
import { describe, expect, it } from "vitest";
import { chosenBy, tapbacksOf, withTapbacks } from "./choices.ts";

const ONCE: Choice = { id: "once", label: "Allow once", style: "primary" };
const SESSION: Choice = { id: "session", label: "This session", style: "plain" };
const NO: Choice = { id: "no", label: "No", style: "danger" };

describe("a question", () => {
  it("a like allows once, a dislike refuses, and what goes further is typed", () => {
    const piece = withTapbacks({ text: "May I?" }, [ONCE, SESSION, NO]);
    expect(piece.text).toBe("May I?\n\n👍 Allow once\n👎 No");
    expect(tapbacksOf(piece)).toEqual({ like: "once", dislike: "no" });
  });

  it.each(["love", "laugh", "emphasize", "question", "sticker", "-like", "-dislike", "2006", 2001, ""])(
    "the tapback %j chooses nothing",
    (type) => {
      expect(chosenBy(type, { like: "once", dislike: "no" })).toBeUndefined();
    },
  );

  it("a tapback on what asks nothing chooses nothing", () => {
    expect(chosenBy("like", undefined)).toBeUndefined();
  });
});
