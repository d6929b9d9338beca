import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "@hermes/core/embed";
import type { ModelServer } from "@hermes/testing";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { machineWith, startModel } from "./support/model.ts";
import type { Screen } from "./support/screen.ts";

const CTRL_D = "\x04";

let model: ModelServer;
let machine: HermesMachine;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, {}, { TERM: "xterm-256color" });
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

const opened: Screen[] = [];
afterEach(() => {
  for (const screen of opened.splice(0)) screen.window.kill("SIGKILL");
});

async function openScreen(...args: string[]): Promise<Screen> {
  const screen = await machine.startOnScreen(args, { cols: 100, rows: 24 });
  opened.push(screen);
  return screen;
}

/** A chat in which the agent asks to write a file with the word `hello` in it. */
async function asked(file: string): Promise<{ readonly screen: Screen; readonly approval: Approval }> {
  model.push({ call: [{ name: "write", input: { path: file, content: "hello\n" } }] }, `Done with ${file}.`);
  const screen = await openScreen();
  await screen.shows(/^›$/m);
  screen.press(`please write ${file}\r`);
  await screen.shows(/y once .*\n\?/);
  const [approval] = await (await machine.store()).approvals.open();
  if (approval === undefined) throw new Error("nothing was asked");
  return { screen, approval };
}

const written = (file: string) =>
  existsSync(join(machine.folder, file)) ? readFileSync(join(machine.folder, file), "utf8") : null;

it("a call that is asked runs after y, and the answer follows", async () => {
  const { screen } = await asked("one.txt");
  expect(screen.rows().join("\n")).toMatch(/│ \+hello\n/);
  expect(written("one.txt")).toBeNull();
  screen.press("y");
  await screen.shows("Enter: allow it once");
  screen.press("\r");
  await screen.shows(/Done with one\.txt\.\n[\s\S]*^›$/m);
  expect(written("one.txt")).toBe("hello\n");
  screen.press(CTRL_D);
  expect(await screen.window.exited()).toBe(0);
});

it("other words at the question mean no, and the model gets them", async () => {
  const { screen } = await asked("two.txt");
  screen.press("not there, in notes/\r");
  await screen.shows("Done with two.txt.");
  expect(written("two.txt")).toBeNull();
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("not there, in notes/");
});

it("a question that another process answers closes, and the turn goes on", async () => {
  const { screen, approval } = await asked("three.txt");
  const { stdout } = await machine.run("approvals", "allow", approval.code);
  expect(stdout).toContain("The terminal that asked goes on with it");
  await screen.shows(/Done with three\.txt\.\n[\s\S]*^›$/m);
  expect(screen.rows().join("\n")).toContain("Allowed once by you (write: three.txt");
  expect(written("three.txt")).toBe("hello\n");
});

it("a question outlives its terminal, and stands in the next that opens the session", async () => {
  const { screen, approval } = await asked("four.txt");
  screen.window.kill("SIGKILL");
  await screen.window.exited();
  const next = await openScreen("resume", approval.sessionId);
  await next.shows(/│ \+hello[\s\S]*y once .*\n\?/);
  next.press("y\r");
  await next.shows("Done with four.txt.");
  expect(written("four.txt")).toBe("hello\n");
});
