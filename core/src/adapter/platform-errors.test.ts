import { expect, test } from "vitest";
import { platformErrors, wasNeverSent } from "./platform-errors.ts";

const errors = platformErrors("pager");

test("an error names its platform, the reason and what to do", () => {
  const { code, message, hint, retryable } = errors.forbidden("the bot is not in the group", "Add it again.");
  expect(code).toBe("PLATFORM_FORBIDDEN");
  expect(message).toBe("pager does not permit it: the bot is not in the group.");
  expect([hint, retryable]).toEqual(["Add it again.", false]);
});

test("a rate limit tells the wait that the platform asks for, or none", () => {
  const limited = errors.rateLimited(1_500);
  expect([limited.retryAfterMs, limited.fields.seconds]).toEqual([1_500, 2]);
  expect(errors.rateLimited(null).retryAfterMs).toBeNull();
});

test("an error keeps its cause", () => {
  const cause = new Error("cut");
  expect(errors.uncertain("the answer was lost", { cause }).cause).toBe(cause);
  expect(errors.rateLimited(1_000, { cause }).cause).toBe(cause);
});

test("only a connection that was never made rules out that a call was done", () => {
  expect([wasNeverSent("ECONNREFUSED"), wasNeverSent("ECONNRESET")]).toEqual([true, false]);
});
