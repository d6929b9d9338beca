import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Output } from "../../terminal/output.ts";
import { Styled } from "../../terminal/styled.ts";
import { runCli } from "../program.ts";
import { createTestTerminal } from "../test-terminal.ts";
import { hermesCall } from "./hermes-call.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-call-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a person calls Hermes by npx, or by its path, where there is no such command", () => {
  const core = join(folder, "node_modules/@hermes/core");
  const bin = join(folder, "node_modules/.bin");
  const at = (PATH: string, coreFolder = core) =>
    hermesCall({ environment: { PATH }, workingDirectory: folder }, coreFolder);
  expect(at(folder)).toBe("npx hermes-handoff");
  expect(at(folder, "/home/you/my hermes/core")).toBe('node "/home/you/my hermes/core/bin/hermes.js"');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "hermes"), "");
  // npx puts that folder into the path for what it runs.
  expect(at(`${folder}:${bin}`)).toBe("npx hermes");
  expect(at(`${folder}:${bin}`, "/home/you/my hermes/core")).toBe("npx hermes");
  writeFileSync(join(folder, "hermes"), "");
  expect(at(folder)).toBe("hermes");
  expect(hermesCall({ environment: {}, workingDirectory: "/" }, "/usr/lib/node_modules/@hermes/core")).toBe("hermes");
});

test("hints name Hermes as it is called here", async () => {
  const terminal = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
  const io = { ...terminal.io, hermesCall: () => "npx hermes-handoff" };
  expect(await runCli(["sessions", "show", "nothing"], { io })).toBe(1);
  expect(terminal.stderr()).toContain("`npx hermes-handoff sessions` lists them.");
  for (const command of ["sessions", "models", "passes"]) expect(await runCli([command], { io })).toBe(0);
  expect(terminal.stdout()).toContain("There is no session yet. `npx hermes-handoff` begins one.");
  expect(terminal.stdout()).toContain("`npx hermes-handoff init` asks for one");
  expect(terminal.stdout()).toContain("`npx hermes-handoff pass <session>` makes one.");
});

test.each([[["--help"]], [["chat", "--help"]], [["passes", "--help"]], [["help", "completion"]]])(
  "the help of %j names Hermes as it is called here",
  async (argv) => {
    const terminal = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
    expect(await runCli(argv, { io: { ...terminal.io, hermesCall: () => "npx hermes" } })).toBe(0);
    expect(terminal.stdout()).toMatch(/^Usage: npx hermes /);
    expect(terminal.stdout().replaceAll("npx hermes", "")).not.toMatch(/\bhermes(?=[ `])/);
  },
);

test.each([
  [["config", "check", "--json"], "plugins add nowhere`"],
  [["config", "show"], "plugins add nowhere`"],
  [["plugins"], "plugins add nowhere`"],
  [["lanes", "--limit", "0"], "lanes --help`"],
  [["people", "show", "nobody"], "people`"],
])("%j names Hermes in its hints as it is called here", async (argv, hint) => {
  const config = join(folder, "hermes.config.json");
  writeFileSync(config, '{ "plugins": ["nowhere"] }');
  const terminal = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
  const io = { ...terminal.io, hermesCall: () => "npx hermes" };
  await runCli([...argv, "--config", config], { io });
  expect(terminal.stdout() + terminal.stderr()).toContain(`\`npx hermes ${hint}`);
});

test("what others wrote stays as it is, whatever it says of Hermes", () => {
  const terminal = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
  const output = new Output({ ...terminal.io, hermesCall: () => "npx hermes" }, { json: false });
  output.line(Styled.from("Run `hermes status`."));
  expect(terminal.stdout()).toBe("Run `hermes status`.\n");
});
