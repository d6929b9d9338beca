import type { SessionId } from "@hermes/core/embed";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said, transcript } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
let machine: HermesMachine;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, { plugins: [["@hermes/plugin-web", { port: 0 }]] });
  await machine.startGateway();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

/** A turn in a terminal, which waits for its model; it is about to look into the directory. */
async function looking() {
  const sessionId = await begin(machine, "Plan a trip");
  const held = gate();
  model.push({ say: "I look.", call: [{ name: "list", input: { path: "." } }], hold: held });
  model.push("Here it stands.");
  const terminal = machine.start("chat", "--session", sessionId);
  terminal.type("Look around");
  await held.reached;
  return { sessionId, held, terminal };
}

/** `hermes handoff` in a process of its own, once it is asked for. */
async function asking(sessionId: SessionId) {
  const handoff = machine.start("handoff", "web", "-s", sessionId, "--json");
  const { handoffs } = await machine.store();
  await machine.until(async () => (await handoffs.latestOf(sessionId))?.waitsForTurn === true, "the request");
  return handoff;
}

it("a turn that runs moves with its session, and goes on at the new place", async () => {
  const { sessionId, held, terminal } = await looking();
  const handoff = await asking(sessionId);
  held.open();
  expect(await handoff.exited()).toBe(0);
  expect((JSON.parse(handoff.stdout) as HandoffDocument).state).toBe("completed");
  await machine.until(async () => (await said(machine, sessionId)).at(-1) === "assistant: Here it stands.", "the end");
  const rows = (await transcript(machine, sessionId)).slice(2);
  expect(rows.map(({ role, internal }) => (internal ? "hermes" : role))).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  const [turnId] = new Set(rows.map((row) => row.turnId));
  expect(rows).toMatchObject(rows.map(() => ({ turnId })));
  const store = await machine.store();
  const { surface, state, attempt } = (await store.turns.get(turnId as never)) ?? {};
  expect({ state, attempt }).toEqual({ state: "done", attempt: 1 });
  expect(surface).toContain(":web:");
  terminal.endInput();
  await terminal.exited();
});

it("a turn whose terminal is killed goes on where its session went", async () => {
  const { sessionId, held, terminal } = await looking();
  const handoff = await asking(sessionId);
  terminal.kill("SIGKILL");
  await terminal.exited();
  held.open();
  expect(await handoff.exited()).toBe(0);
  await machine.until(
    async () => (await said(machine, sessionId)).at(-1)?.startsWith("assistant: ") ?? false,
    "an answer",
  );
  const { turns } = await machine.store();
  await machine.until(async () => (await turns.running(sessionId)) === null, "the end of the turn");
  const rows = (await transcript(machine, sessionId)).slice(2);
  expect(rows[0]).toMatchObject({ role: "user", text: "Look around" });
  expect(rows.some(({ internal }) => internal)).toBe(false);
  expect(rows.at(-1)).toMatchObject({ role: "assistant", turnId: rows[0]?.turnId });
});
