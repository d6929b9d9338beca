import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { begin, handOff, said } from "./support/journey.ts";
import { machineWith, startModel } from "./support/model.ts";
import { openPage } from "./support/page.ts";
import type { Screen, ScreenOptions } from "./support/screen.ts";

const DOWN = "\x1b[B";
const ENTER = "\r";
const ESCAPE = "\x1b";

let model: ModelServer;
let machine: HermesMachine;
const opened: Screen[] = [];

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, {}, { TERM: "xterm-256color" });
  await begin(machine, "Plan the harbour");
  await begin(machine, "Write a letter");
  await begin(machine, "Plan the garden");
}, 120_000);
afterEach(() => {
  for (const screen of opened.splice(0)) screen.window.kill("SIGKILL");
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

async function open(args: readonly string[], options: ScreenOptions = {}): Promise<Screen> {
  const screen = await machine.startOnScreen(args, { rows: 20, ...options });
  opened.push(screen);
  return screen;
}

describe("hermes resume without a session", () => {
  it("shows what was said in the chosen one; arrows choose, Enter takes it", async () => {
    const screen = await open(["resume"]);
    await screen.shows(/Which one\?.*\n› +1 {2}Plan the garden .*\n +2 {2}Write a letter .*\n +3 {2}Plan the harbour/);
    await screen.shows("│ Answer to: Plan the garden");
    screen.press(DOWN);
    await screen.shows(/› +2 {2}Write a letter/);
    await screen.shows("│ Answer to: Write a letter");
    screen.press(ENTER);
    await screen.shows(/^Write a letter\n[\s\S]*Answer to: Write a letter\n[\s\S]*^›$/m);
    expect(screen.rows().join("\n")).not.toContain("Which one");
  });

  it("one types a part of a title or a number, and is told when nothing fits", async () => {
    const screen = await open(["resume"]);
    await screen.shows("Which one?");
    screen.press("plan the");
    await screen.shows((rows) => /^› +1 {2}Plan the garden/.test(rows[1] ?? "") && /^ +3 {2}Plan/.test(rows[2] ?? ""));
    screen.press("xyz");
    await screen.shows("Nothing fits");
    screen.press("\x15");
    await screen.shows("Write a letter");
    screen.press("3");
    await screen.shows((rows) => /^› +3 {2}Plan the harbour/.test(rows[1] ?? ""));
    screen.press(ESCAPE);
    expect(await screen.window.exited()).toBe(0);
  });
});

it("hermes --continue goes on with the folder's last session", async () => {
  const screen = await open(["--continue"]);
  await screen.shows(/^Plan the garden\n[\s\S]*^›$/m);
  screen.window.kill("SIGKILL");

  const elsewhere = join(machine.folder, "elsewhere");
  mkdirSync(elsewhere);
  const other = await open(["--continue"], { folder: elsewhere });
  await other.shows("No session was begun in this folder yet");
  await other.shows(/^›$/m);
  other.press(`Something new${ENTER}`);
  await other.shows("Answer to: Something new");
  other.window.kill("SIGKILL");
  const again = await open(["chat", "-c"], { folder: elsewhere });
  await again.shows(/^Something new\n[\s\S]*Answer to: Something new/m);
});

it("Tab completes the title behind /resume, also by what stands within it", async () => {
  const screen = await open([]);
  await screen.shows(/^›$/m);
  screen.press("/resume plan\t");
  await screen.shows(/› \/resume Plan the\n {2}\/resume Plan the garden\n {2}\/resume Plan the harbour/);
  screen.press("\x15/resume letter\t");
  await screen.shows("› /resume Write a letter");
  screen.press(ENTER);
  await screen.shows("Resumed");
});

it("a line that is begun stays in the input while its session is handed off", async () => {
  const gateway = await machine.startGateway();
  const page = await openPage(machine);
  const sessionId = await begin(machine, "Plan a trip");
  const screen = await open(["resume", sessionId]);
  await screen.shows(/^›$/m);
  screen.press("begun here");
  await screen.shows("› begun here");
  const { threadId } = await handOff(machine, sessionId);
  await screen.shows(/on web, in a thread[\s\S]*\n› begun here\n.*$/);
  await page.ask(machine, threadId, "And the food?", /^Answer to: And the food\?$/);
  await screen.shows(/Answer to: And the food\?[\s\S]*\n› begun here\n.*$/);
  expect(screen.cursor().column).toBe("› begun here".length);
  gateway.kill("SIGTERM");
  await gateway.exited();
});

it("closing the window in mid-answer keeps what was said, which resuming shows", async () => {
  const held = gate();
  const sessionId = await begin(machine, "Plan a party");
  model.push({ say: "Half of what there is to say.", hold: held });
  const screen = await open(["resume", sessionId]);
  await screen.shows(/^›$/m);
  screen.press(`Go on${ENTER}`);
  await held.reached;
  await screen.shows("Half");
  screen.window.kill("SIGKILL");
  await screen.window.exited();
  await machine.until(async () => (await said(machine, sessionId)).length > 4, "what was said");
  expect((await said(machine, sessionId)).map((line) => line.trim())).toContain("assistant: Half");
  const again = await open(["resume", sessionId]);
  await again.shows(/› Go on\n+Half/);
});
