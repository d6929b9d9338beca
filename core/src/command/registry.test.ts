import { expect, test } from "vitest";
import { COMMANDS, findCommand } from "./registry.ts";

test("no two commands share a name or an alias", () => {
  const words = COMMANDS.flatMap((command) => [command.name, ...command.aliases]);
  expect(new Set(words).size).toBe(words.length);
});

test("every name and alias is parsed as a command", () => {
  for (const command of COMMANDS) {
    for (const word of [command.name, ...command.aliases]) expect(word).toMatch(/^[a-z][a-z0-9_-]*$/);
    expect(command.description).not.toBe("");
  }
});

test("/handoff is a session command for operators, everywhere", () => {
  expect(findCommand("handoff")).toMatchObject({ category: "Session", operatorsOnly: true });
  expect(findCommand("handoff")?.cliOnly).toBeUndefined();
});

test("every command for platforms has a run function", () => {
  for (const command of COMMANDS.filter((one) => !one.cliOnly)) expect(command.run).toBeTypeOf("function");
});

test("no command is both for the terminal only and for platforms only", () => {
  expect(COMMANDS.filter((command) => command.cliOnly && command.gatewayOnly)).toEqual([]);
});

test("a command that shows, decides or stops something waits for no turn", () => {
  const immediate = COMMANDS.filter((command) => command.immediate).map((command) => command.name);
  expect(immediate.sort()).toEqual([
    "approve",
    "away",
    "deny",
    "help",
    "jobs",
    "link",
    "mode",
    "model",
    "permissions",
    "status",
    "stop",
    "usage",
    "whoami",
  ]);
});

test("/exit and /q are aliases of /quit", () => {
  expect(findCommand("exit")).toBe(findCommand("quit"));
  expect(findCommand("q")).toBe(findCommand("quit"));
  expect(findCommand("deploy")).toBeNull();
});
