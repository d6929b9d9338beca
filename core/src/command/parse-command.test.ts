import { expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";

test.each([
  ["/help", "help", ""],
  ["/HELP", "help", ""],
  ["/title Plan for May ", "title", "Plan for May"],
  ["/status@hermes_bot", "status", ""],
  ["/new@hermes_bot look at this", "new", "look at this"],
  // Any word after a single slash counts as a command; an unknown one is answered with a hint at /help.
  ["/etc", "etc", ""],
  ["/new\nfirst line\nsecond line", "new", "first line\nsecond line"],
])("%j is a command", (text, name, argument) => {
  expect(parseCommand(text)).toEqual({ name, argument });
});

test.each([
  "/usr/bin/env is missing",
  "hello /help",
  "hello\n/help",
  " /help",
  "/",
  "//comment",
  "/ help",
  "/42",
  "/?",
  "",
])("%j is plain text", (text) => {
  expect(parseCommand(text)).toBeNull();
});
