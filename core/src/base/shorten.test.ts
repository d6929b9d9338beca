import { expect, test } from "vitest";
import { shorten } from "./shorten.ts";

test("a text that fits stays as it is", () => {
  expect(shorten("Deploy", 6)).toBe("Deploy");
});

test("ends a longer text with an ellipsis within the limit, with no space before it", () => {
  expect(shorten("Look at the logs", 9)).toBe("Look at…");
  expect(shorten("Look at the logs", 8)).toBe("Look at…");
});

test("a character of several code points is never cut in two", () => {
  expect(shorten("ab👩‍👩‍👧cd", 8)).toBe("ab…");
});
