import { expect, test } from "vitest";
import { shorten } from "./shorten.ts";

test("a text that fits stays as it is", () => {
  expect(shorten("Deploy", 6)).toBe("Deploy");
});

test("a longer text ends with an ellipsis within the limit, without a space before it", () => {
  expect(shorten("Look at the logs", 9)).toBe("Look at…");
  expect(shorten("Look at the logs", 8)).toBe("Look at…");
});

test("a character of several code points is never cut in two", () => {
  expect(shorten("ab👩‍👩‍👧cd", 8)).toBe("ab…");
  expect(shorten("cafe\u0301 au lait", 4)).toBe("caf…");
  expect(shorten("cafe\u0301 au lait", 5)).toBe("caf…");
});
