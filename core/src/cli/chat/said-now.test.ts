import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

const call = { call: [{ name: "list", input: { path: "." } }] };

/** A chat in which "also at b.txt" was typed for the answer that is being written. */
async function told() {
  const held = gate();
  bench.model.push([{ say: "Looking. " }, { hold: held }, call, { say: "All seen." }]);
  const chat = bench.start([], { interactive: true });
  chat.type("look");
  await held.reached;
  chat.type("/now also at b.txt");
  await chat.printed("goes to the answer: also at b.txt");
  return { chat, goOn: () => held.open() };
}

async function said(): Promise<string[]> {
  const { messages } = (await bench.hermes("sessions", "show", "look", "--json")).json();
  const visible = (messages as { role: string; text: string }[]).filter(({ role }) => role !== "tool");
  return visible.map(({ text }) => text);
}

test("/now brings a message into the answer that is being written", async () => {
  const { chat, goOn } = await told();
  goOn();
  await chat.printed("All seen.");
  chat.type("/q");
  expect(await chat.ended).toBe(0);
  expect(await said()).toEqual(["look", "Looking. ", "also at b.txt", "All seen."]);
});

test("what was typed with /now is the next message if its turn fails to take it in", async () => {
  const { chat, goOn } = await told();
  bench.model.push("At b.txt, too.");
  const isTakenIn = "EXISTS (SELECT 1 FROM turns WHERE state = 'running')";
  bench
    .database()
    .exec(`CREATE TRIGGER t BEFORE DELETE ON typed_lines WHEN ${isTakenIn} BEGIN SELECT RAISE(ABORT, 'broken'); END`);
  goOn();
  await chat.printed("At b.txt, too.");
  chat.type("/q");
  expect(await chat.ended).toBe(0);
  expect((await said()).slice(-2)).toEqual(["also at b.txt", "At b.txt, too."]);
});
