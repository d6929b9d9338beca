import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");

test.each([
  ["7", 7_000],
  [" 0.5 ", 500],
  ["0", 0],
  ["Mon, 15 Jun 2026 12:01:00 GMT", 60_000],
  ["Mon, 15 Jun 2026 11:59:00 GMT", 0],
  ["soon", null],
  ["", null],
  [null, null],
  [undefined, null],
])("a server with Retry-After %j asks to wait %j ms", (said, waitMs) => {
  expect(parseRetryAfter(said, NOW)).toBe(waitMs);
});
