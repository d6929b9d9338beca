import { expect, it } from "vitest";
import { nameOfThread } from "./threads.ts";

it.each([
  ["Fix the build", "Fix the build"],
  ["<@123> asks <#5> about <@&7>", "asks about"],
  ["@everyone, look @here", "everyone, look here"],
  ["<@123>", "New session"],
  ["a".repeat(100), "a".repeat(100)],
  ["a".repeat(101), `${"a".repeat(99)}…`],
])("%j is a thread that is called %j", (title, name) => {
  expect(nameOfThread(title)).toBe(name);
});
