import { expect, test } from "vitest";
import { parseCommand } from "./parse-command.ts";

test.each([
  ["/help", "help", ""],
  ["/HELP", "help", ""],
  ["/title Plan for May ", "title", "Plan for May"],
  ["/status@hermes_bot", "status", ""],
  ["/new@hermes_bot look at this", "new", "look at this"],
  // A word behind a single slash looks like a command whatever it is: it is answered with what there is.
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
