import type { SessionId } from "@hermes/core/embed";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HermesMachine, HermesProcess } from "./support/hermes-process.ts";
import { begin, handOff, said, transcript } from "./support/journey.ts";
import { answerTo, machineWith, startModel } from "./support/model.ts";
import { openPage, type Page } from "./support/page.ts";

let model: ModelServer;
let machine: HermesMachine;
let page: Page;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model);
  await machine.startGateway();
  page = await openPage(machine);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

it("two terminals on one session take turns, and see what the other wrote", async () => {
  const sessionId = await begin(machine, "Begin with two terminals");
  const [left, right] = await Promise.all([resumed(sessionId), resumed(sessionId)]);
  const ofLeft = ["left one", "left two", "left three"];
  const ofRight = ["right one", "right two", "right three"];
  for (const [at, text] of ofLeft.entries()) {
    left.type(text);
    right.type(ofRight[at] ?? "");
  }

  await hasMessages(sessionId, 14);
  await expectTurns(sessionId, ofLeft, ofRight);
  for (const text of ofRight) await left.says(lineOf(text));
  for (const text of ofLeft) await right.says(lineOf(text));
  await leave(left, right);
  // Nothing twice: neither what one typed, nor what it was answered.
  for (const text of ofRight) expect(left.stdout.split(`Answer to: ${text}`)).toHaveLength(2);
  for (const text of ofLeft) expect(right.stdout.split(`Answer to: ${text}`)).toHaveLength(2);
});

it("a terminal and a browser take turns, and see what the other wrote", async () => {
  const sessionId = await begin(machine, "Begin with a browser");
  const { threadId } = await handOff(machine, sessionId);
  const terminal = await resumed(sessionId);
  const typed = ["typed one", "typed two", "typed three"];
  const posted = ["posted one", "posted two", "posted three"];
  for (const [at, text] of typed.entries()) {
    terminal.type(text);
    await page.write(threadId, posted[at] ?? "");
  }

  await hasMessages(sessionId, 16);
  await expectTurns(sessionId, typed, posted);
  for (const text of posted) await terminal.says(lineOf(text));
  expect(terminal.stdout).toMatch(/── on web, in a thread ──\n[^─]*› posted one/);

  await machine.until(
    async () => (await page.messages(threadId)).messages.length >= 5 + 12,
    "every message on the page",
  );
  const { messages } = await page.messages(threadId);
  for (const text of typed) {
    const echoes = messages.filter((message) => message.kind === "echo" && message.text.endsWith(text));
    expect(echoes.map(({ author, place, text: shown }) => [author, place, shown])).toEqual([
      ["user", "in the terminal", text],
      ["agent", "in the terminal", `Answer to: ${text}`],
    ]);
  }
  // The first is what was said at the handoff.
  const [, ...answers] = messages.filter(({ kind }) => kind === "answer");
  expect(answers.map(({ text }) => text)).toEqual(posted.map((text) => `Answer to: ${text}`));
  await leave(terminal);
});

it("a page that shows a thread sees the answer in a terminal grow", async () => {
  const sessionId = await begin(machine, "Begin with a page that looks on");
  const { threadId } = await handOff(machine, sessionId);
  const terminal = await resumed(sessionId);
  const held = gate();
  model.push({ say: "Boats leave at noon.", hold: held });
  terminal.type("When do boats leave?");
  await held.reached;
  const said = await page.seesGrowing(threadId, ({ text }) => text !== "");
  expect(said).toEqual({ place: "in the terminal", asked: "When do boats leave?", text: "Boats " });
  held.open();
  const echo = await page.messageAfter(machine, threadId, 0, "echo", /^Boats leave at noon\.$/);
  expect(echo).toMatchObject({ author: "agent", place: "in the terminal" });
  await leave(terminal);
});

it("a message written during a turn waits, and is answered in its order", async () => {
  const sessionId = await begin(machine, "Begin with a long answer");
  const { threadId } = await handOff(machine, sessionId);
  const terminal = await resumed(sessionId);
  const held = gate();
  model.push((request) => ({ say: answerTo(request), hold: held }));
  await page.write(threadId, "something long");
  await held.reached;

  const waiting = ["then this", "and this", "and this at last"];
  for (const text of waiting) await page.write(threadId, text);
  terminal.type("from the terminal");
  await terminal.says(/waiting for the turn that runs on web, in a thread/);
  expect(await said(machine, sessionId)).toHaveLength(5);
  held.open();

  await hasMessages(sessionId, 4 + 10);
  await expectTurns(sessionId, ["something long", ...waiting], ["from the terminal"]);
  await leave(terminal);
});

/** A terminal that goes on with a session, once it has shown where it stands. */
async function resumed(sessionId: SessionId): Promise<HermesProcess> {
  const terminal = machine.start("resume", sessionId);
  await terminal.says(/Answer to: /);
  return terminal;
}

async function leave(...terminals: readonly HermesProcess[]): Promise<void> {
  for (const terminal of terminals) terminal.endInput();
  for (const terminal of terminals) expect(await terminal.exited()).toBe(0);
}

function hasMessages(sessionId: SessionId, count: number): Promise<void> {
  return machine.until(async () => (await transcript(machine, sessionId)).length >= count, `${count} messages`);
}

function lineOf(text: string): RegExp {
  return new RegExp(`^› ${text}$`, "m");
}

/** Each message once, followed by its own answer; those of one writer in the order in which he wrote them. */
async function expectTurns(sessionId: SessionId, ...writers: readonly (readonly string[])[]): Promise<void> {
  const messages = await transcript(machine, sessionId);
  expect(messages.map(({ role }) => role)).toEqual(messages.map((_, at) => (at % 2 === 0 ? "user" : "assistant")));
  const asked = messages.filter(({ role, internal }) => role === "user" && !internal).slice(1);
  expect(asked.map(({ text }) => text).sort()).toEqual(writers.flat().sort());
  for (const { text, seq } of asked) {
    expect(messages.find((message) => message.seq === seq + 1)?.text).toBe(`Answer to: ${text}`);
  }
  for (const own of writers) {
    expect(asked.map(({ text }) => text).filter((text) => own.includes(text))).toEqual(own);
  }
}
