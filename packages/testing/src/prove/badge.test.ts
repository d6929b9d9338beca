import { expect, it } from "vitest";
import { badgeOf } from "./badge.ts";

it("a badge tells how many claimed proofs passed, and is green only if all did", () => {
  const all = badgeOf({ passed: 61, failed: 0 });
  expect(all).toContain('aria-label="proofs 61/61"');
  expect(all).toContain("#2e7d32");
  const some = badgeOf({ passed: 60, failed: 1 });
  expect(some).toContain("proofs 60/61");
  expect(some).toContain("#c62828");
  expect(badgeOf({ passed: 0, failed: 0 })).toContain("#c62828");
});
