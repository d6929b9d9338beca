import { expect, test } from "vitest";
import { oneLine } from "./one-line.ts";

test("drops line breaks, control characters and bidirectional marks", () => {
  expect(oneLine("a\r\n\tb\u0000\u001b[31mc\u202ed\u2028e")).toBe("a b [31mcd e");
  expect(oneLine(" the \u202e build \ufeff")).toBe("the build");
});

test("emoji families and Persian words stay whole", () => {
  expect(oneLine("👩‍👩‍👧 می‌خواهم")).toBe("👩‍👩‍👧 می‌خواهم");
});

test("a surrogate that stands alone is shown as something that cannot be shown", () => {
  expect(oneLine("a\ud83db")).toBe("a\ufffdb");
});
