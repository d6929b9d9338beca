import { expect, test } from "vitest";
import { oneLine } from "./one-line.ts";

test("oneLine drops line breaks, control characters and bidirectional marks", () => {
  expect(oneLine("a\r\n\tb\u0000\u001b[31mc\u202ed\u2028e")).toBe("a b [31mcd e");
  expect(oneLine(" the \u202e build \ufeff")).toBe("the build");
});

test("oneLine keeps emoji families and Persian words whole", () => {
  expect(oneLine("👩‍👩‍👧 می‌خواهم")).toBe("👩‍👩‍👧 می‌خواهم");
});

test("oneLine replaces a lone surrogate by the replacement character", () => {
  expect(oneLine("a\ud83db")).toBe("a\ufffdb");
});
