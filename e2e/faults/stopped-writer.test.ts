import { gate } from "@hermes/testing";
import { expect, it } from "vitest";
import { begin } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

it("half an answer of a stopped process goes from other screens with its lease", async () => {
  const model = await startModel();
  await using machine = machineWith(model, {}, { TERM: "xterm-256color" });
  const sessionId = await begin(machine, "Begin and be stopped");
  const screen = await machine.startOnScreen(["attach", sessionId, "--read-only"], { cols: 80, rows: 20 });
  const store = await machine.store();
  await machine.until(async () => (await store.views.of(sessionId)).length === 1, "the open terminal");
  const held = gate();
  model.push({ say: "Boats leave at noon.", hold: held });
  const writer = machine.start("chat", "--session", sessionId);
  writer.type("When do boats leave?");
  await held.reached;
  await screen.shows(/^Boats$/m);
  await machine.suspend(writer);
  // The lease lasts 15 seconds.
  await screen.shows((rows) => rows.at(-1) === "› When do boats leave?");
  held.open();
  writer.kill("SIGCONT");
  await screen.shows("Boats leave at noon.");
  expect(screen.everything().filter((row) => row.includes("Boats")).length).toBe(1);
  screen.press("\x03");
  expect(await screen.window.exited()).toBe(0);
  await model.close();
});
