import { expect, test } from "vitest";
import { COMMANDS, findCommand } from "./registry.ts";

test("no two commands answer to the same word", () => {
  const words = COMMANDS.flatMap((command) => [command.name, ...command.aliases]);
  expect(new Set(words).size).toBe(words.length);
});

test("every word is one that is parsed as a command", () => {
  for (const command of COMMANDS) {
    for (const word of [command.name, ...command.aliases]) expect(word).toMatch(/^[a-z][a-z0-9_-]*$/);
    expect(command.description).not.toBe("");
  }
});

test("a handoff is a command of the session, for the terminal alone", () => {
  expect(findCommand("handoff")).toMatchObject({ category: "Session", cliOnly: true });
});

test("what works on a platform can be run there", () => {
  for (const command of COMMANDS.filter((one) => !one.cliOnly)) expect(command.run).toBeTypeOf("function");
});

test("no command is for the terminal alone and for platforms alone at once", () => {
  expect(COMMANDS.filter((command) => command.cliOnly && command.gatewayOnly)).toEqual([]);
});

test("what cannot wait behind a turn runs at once", () => {
  const immediate = COMMANDS.filter((command) => command.immediate).map((command) => command.name);
  expect(immediate.sort()).toEqual(["help", "status", "stop", "whoami"]);
});

test("the ways out of the terminal are one command", () => {
  expect(findCommand("exit")).toBe(findCommand("quit"));
  expect(findCommand("q")).toBe(findCommand("quit"));
  expect(findCommand("deploy")).toBeNull();
});
