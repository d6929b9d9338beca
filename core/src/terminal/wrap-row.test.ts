import { expect, test } from "vitest";
import { wrapRow } from "./wrap-row.ts";

test.each([
  ["short", "short"],
  ["  one two three four five", "  one two three four\n  five"],
  ["a\nb that is longer than twenty columns", "a\nb that is longer than twenty columns"],
  ["see https://example.org/a/long/address now", "see\nhttps://example.org/a/long/address\nnow"],
  ["\u001b[1mone two three\u001b[22m four five", "\u001b[1mone two three\u001b[22m four\nfive"],
])("a row is broken between its words at the terminal's width: %j", (row, wrapped) => {
  expect(wrapRow(row, 20)).toBe(wrapped);
});
