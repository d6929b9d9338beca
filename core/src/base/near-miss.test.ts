import { expect, test } from "vitest";
import { nearMiss } from "./near-miss.ts";

const NAMES = ["help", "new", "resume", "sessions", "status", "stop", "title", "undo"];

test.each([
  ["hepl", "help"],
  ["resum", "resume"],
  ["stat", "status"],
  ["sesions", "sessions"],
  ["stpo", "stop"],
  ["start", null],
  ["deploy", null],
  ["x", null],
])("the suggestion for /%s is %s", (typed, meant) => {
  expect(nearMiss(typed, NAMES)).toBe(meant);
});
