import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HABITS } from "./habits.ts";
import { parseCommand } from "./parse-command.ts";
import { COMMANDS, findCommand } from "./registry.ts";

const page = readFileSync(new URL("../../../docs/coming-from.md", import.meta.url), "utf8");

test("a habit is no command of Hermes, and can be typed as one", () => {
  for (const name of Object.keys(HABITS)) {
    expect(findCommand(name), name).toBeNull();
    expect(parseCommand(`/${name} x`), name).toEqual({ name, argument: "x" });
  }
});

test("each command that takes a habit's place exists", () => {
  const named = Object.values(HABITS).flatMap((text) =>
    [...text.matchAll(/(?<![\w.~-])\/([a-z]+)/g)].map(([, name]) => name),
  );
  expect(named.filter((name) => findCommand(name ?? "") === null)).toEqual([]);
});

test("docs/coming-from.md names only commands that Hermes has, for what it leads to", () => {
  const here = page.split("\n").flatMap((row) => /^\| .* \| (.*) \|$/.exec(row)?.[1] ?? []);
  const named = here.flatMap((text) => [...text.matchAll(/`\/([a-z-]+)[^`]*`/g)].map(([, name]) => name ?? ""));
  expect(named.length).toBeGreaterThan(50);
  expect([...new Set(named)].filter((name) => findCommand(name) === null)).toEqual([]);
});

test("docs/coming-from.md has each habit, and each other name of a command", () => {
  const aliases = COMMANDS.flatMap((command) => command.aliases);
  const missing = [...Object.keys(HABITS), ...aliases].filter((name) => !page.includes(`\`/${name}`));
  expect(missing).toEqual([]);
});
