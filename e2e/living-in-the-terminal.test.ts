import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { machineWith, startModel } from "./support/model.ts";
import type { Screen, ScreenOptions } from "./support/screen.ts";

const [ESC, UP, CTRL_C, CTRL_D, CTRL_O] = ["\x1b", "\x1b[A", "\x03", "\x04", "\x0f"] as const;
const [FOCUS_ON, FOCUS_OFF] = ["\x1b[?1004h", "\x1b[?1004l"] as const;

let model: ModelServer;
let machine: HermesMachine;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, { permissions: { allow: ["shell(seq *)"] } }, { TERM: "xterm-256color" });
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

const opened: Screen[] = [];
afterEach(() => {
  for (const screen of opened.splice(0)) screen.window.kill("SIGKILL");
});

async function openChat(options: ScreenOptions = {}): Promise<Screen> {
  const screen = await machine.startOnScreen([], { cols: 60, rows: 24, ...options });
  opened.push(screen);
  await screen.shows(/^›\n.*openai\/journey/m);
  return screen;
}

it("a tool is one line with its last lines below it, and Ctrl-O shows them all", async () => {
  model.push({ call: [{ name: "shell", input: { command: "seq 1 40" } }] }, "Counted.");
  const screen = await openChat({ cols: 40 });
  screen.press("count\r");
  await screen.shows(
    /● shell {2}seq 1 40.*\n {2}… 38 more lines \(Ctrl-O\)\n {2}39\n {2}40\n {2}\[exit code 0\]\n[\s\S]*Counted\./,
  );
  screen.press(CTRL_O);
  await screen.shows("── the end of it");
  expect(screen.everything().join("\n")).toMatch(/● shell {2}seq 1 40.*\n {2}1\n {2}2\n/);
  for (const row of screen.everything()) expect(row.length).toBeLessThanOrEqual(40);
  screen.press(CTRL_D);
  expect(await screen.window.exited()).toBe(0);
});

it("Esc stops the answer, Up takes back what waits, and each stands there once", async () => {
  const held = gate();
  model.push({ say: "An answer that takes a while.", hold: held });
  const screen = await openChat();
  screen.press("First\r");
  await held.reached;
  screen.press("Second\r");
  await screen.shows("· waits its turn: Second");
  screen.press(UP);
  await screen.shows((rows) => rows.at(-2) === "› Second" && !rows.join("\n").includes("waits its turn"));
  screen.press(ESC);
  await screen.shows("Stopped; what was said so far is kept.");
  held.open();
  screen.press(" and last\r");
  await screen.shows("Answer to: Second and last");
  screen.press(`gone${ESC}`);
  await screen.shows("› gone");
  screen.press(ESC);
  await screen.shows((rows) => rows.at(-2) === "›");
  screen.press(CTRL_D);
  expect(await screen.window.exited()).toBe(0);
});

it("@ completes a file that goes along, and ! runs a command whose output does", async () => {
  writeFileSync(join(machine.folder, "harbour.md"), "High water at noon.\n");
  const screen = await openChat();
  screen.press("read @harb\t");
  await screen.shows("› read @harbour.md");
  screen.press("\r");
  await screen.shows("High water at noon.");
  screen.press("!echo from $((40 + 2))\r");
  await screen.shows("The agent gets this with your next message.");
  screen.press("and now?\r");
  await screen.shows(/Answer to: and now\?[\s\S]*from 42/);
  screen.press(CTRL_D);
  expect(await screen.window.exited()).toBe(0);
});

it.each([
  ["when it is left", (screen: Screen) => screen.press(CTRL_D)],
  ["when it is told to end", (screen: Screen) => screen.press("!kill -TERM $PPID\r")],
])("the terminal is not asked for its focus any more %s", async (_, leave) => {
  const screen = await openChat();
  expect(screen.window.stdout).toContain(FOCUS_ON);
  leave(screen);
  await screen.window.exited();
  expect(screen.window.stdout.lastIndexOf(FOCUS_OFF)).toBeGreaterThan(screen.window.stdout.lastIndexOf(FOCUS_ON));
});

it("/rewind chooses a message with the arrows, and the line is there again", async () => {
  const screen = await openChat();
  for (const line of ["One", "Two"]) {
    screen.press(`${line}\r`);
    await screen.shows(`Answer to: ${line}`);
  }
  screen.press("/rewind\r");
  await screen.shows(/Back to before which message\?[\s\S]*› +2 {2}Two/);
  screen.press("\r");
  await screen.shows("Take the session back? (y/n)");
  screen.press("y\r");
  await screen.shows(/The session is back to before “Two”[\s\S]*\n›\n/);
  screen.press("Three\r");
  await screen.shows("Answer to: Three");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("Two");
  screen.press(`${CTRL_C}${CTRL_D}`);
  expect(await screen.window.exited()).toBe(0);
});
