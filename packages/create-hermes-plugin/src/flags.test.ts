import { expect, it } from "vitest";
import { CannotCreate } from "./answers.ts";
import { readFlags } from "./flags.ts";

it("each question has an option, and a question that was not answered stays open", () => {
  expect(readFlags(["there", "--name", "acme", "--receive", "webhook", "--no-threads", "--edits"])).toEqual({
    ...{ folder: "there", name: "acme", receive: "webhook", threads: false, edits: true, isHelp: false, isYes: false },
  });
  expect(readFlags(["--yes"])).toEqual({ isHelp: false, isYes: true });
});

it.each([
  [["--name", "Rocket Chat"], /^A platform cannot be called "Rocket Chat": use at most 32 small letters/],
  [["--name", "new"], /^The code would not compile with a platform called new: choose another name\.$/],
  [["--receive", "pigeon"], /^Messages come in by polling, webhook, socket, and not by "pigeon"\.$/],
  [["--sockets"], /^Unknown option '--sockets'.*See npm create hermes-plugin -- --help\.$/],
  [["one", "two"], /^One folder is enough: one, two were given\.$/],
])("%j is refused in a sentence", (args, says) => {
  expect(() => readFlags(args)).toThrow(CannotCreate);
  expect(() => readFlags(args)).toThrow(says);
});
