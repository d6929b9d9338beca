import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

const WORDS = [
  "plan",
  "/home/ada/hermes-1.2+b@3",
  "the plan",
  'say "hi"',
  "$HOME `id` \\",
  "don't",
  "fix!it",
  "it's!",
  "",
];

test.each(WORDS)("a shell takes %j as one word once it is pasted", (word) => {
  // As where somebody types: with a history, of which `!` would put something in.
  const lines = `set -o history -o histexpand\nprintf '<%s>' ${shellWord(word)}\n`;
  expect(execFileSync("bash", ["--norc"], { input: lines, encoding: "utf8" })).toBe(`<${word}>`);
});

test("a word of plain characters has no quotes in a command", () => {
  expect(["plan", "slack:work/ops", "@hermes/core"].map(shellWord)).toEqual(["plan", "slack:work/ops", "@hermes/core"]);
});
