import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { begin } from "./support/journey.ts";
import { machineWith, startModel } from "./support/model.ts";
import type { Screen } from "./support/screen.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const ANSWER = "Boats leave at **noon** and at six, but on Sundays only in summer, when the ferry goes, too.";

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

async function openScreen(cols: number, ...args: string[]): Promise<Screen> {
  const screen = await machine.startOnScreen(args, { cols, rows: 20 });
  opened.push(screen);
  return screen;
}

function isOpen(sessionId: Awaited<ReturnType<typeof begin>>, times: number): Promise<void> {
  return machine.until(
    async () => (await (await machine.store()).views.of(sessionId)).length === times,
    `${times} open terminals`,
  );
}

it("an answer grows on two screens at once, and stays on each once", async () => {
  const sessionId = await begin(machine, "Begin at two screens");
  const left = await openScreen(80, "resume", sessionId);
  const right = await openScreen(34, "attach", sessionId);
  await isOpen(sessionId, 2);
  await right.shows(/^›$/m);
  const held = gate();
  model.push({ say: ANSWER, hold: held });
  left.press("When do boats leave?\r");
  await held.reached;
  await right.shows(/› When do boats leave\?\nBoats\n.*in the terminal: writing\n›\n/);
  right.press("and back");
  await right.shows(/\nBoats\n.*writing\n› and back\n/);
  held.open();
  await left.shows(/ferry goes, too\.\n/);
  await right.shows((rows) => {
    const shown = rows.join(" ");
    return shown.includes("ferry goes, too.") && !shown.includes("writing") && rows.at(-2) === "› and back";
  });
  const all = right.everything().join(" ");
  expect(all.split("Boats leave").length).toBe(2);
  expect(all).not.toContain("writing");
  for (const row of right.everything()) expect(row.length).toBeLessThanOrEqual(34);
  right.press(CTRL_C);
  for (const screen of [left, right]) screen.press(CTRL_D);
  for (const screen of [left, right]) expect(await screen.window.exited()).toBe(0);
  await isOpen(sessionId, 0);
});

it("half an answer goes from the other screen when its process is killed", async () => {
  const sessionId = await begin(machine, "Begin and be killed");
  const right = await openScreen(80, "attach", sessionId, "--read-only");
  await isOpen(sessionId, 1);
  const held = gate();
  model.push({ say: ANSWER, hold: held });
  const writer = machine.start("chat", "--session", sessionId);
  writer.type("When do boats leave?");
  await held.reached;
  await right.shows(/^Boats$/m);
  writer.kill("SIGKILL");
  await writer.exited();
  await right.shows((rows) => rows.at(-1) === "› When do boats leave?");
  held.open();
  right.press(CTRL_C);
  expect(await right.window.exited()).toBe(0);
});
