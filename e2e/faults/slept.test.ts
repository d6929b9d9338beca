import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVERY_SESSION } from "@hermes/core/embed";
import { gate, type ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Ahead, CLOCK_FILE } from "../fixtures/moved-clock.ts";
import type { HermesMachine, HermesProcess } from "../support/hermes-process.ts";
import { begin, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";
import { openPage } from "../support/page.ts";

/** Longer than any lease lasts. */
const LATER: Ahead = { wallMs: 20_000, steadyMs: 20_000 };

const TWO_HOURS_MS = 7_200_000;

const MARKER = "hermes: ⟦this turn was interrupted before it was answered; no tool ran; the request above is closed⟧";

let model: ModelServer;
let machine: HermesMachine;
let clockFile: string;

beforeEach(async () => {
  model = await startModel();
  machine = machineWith(model);
  clockFile = join(machine.folder, "clock");
  machine.environment[CLOCK_FILE] = clockFile;
  moveClock({ wallMs: 0, steadyMs: 0 });
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

it("a terminal that slept while another took its session writes nothing and says so", async () => {
  const sessionId = await begin(machine, "Plan a trip");
  const before = await said(machine, sessionId);
  const held = gate();
  model.push({ say: "An answer that comes too late.", hold: held });
  const sleeper = machine.start("chat", "--session", sessionId);
  sleeper.type("Something slow");
  await held.reached;
  await machine.suspend(sleeper);

  moveClock(LATER);
  const other = machine.startScript(join(import.meta.dirname, "../fixtures/moved-turn.ts"), sessionId, "Go on");
  await other.says(/Answer to: Go on/);
  expect(await other.exited()).toBe(0);

  sleeper.kill("SIGCONT");
  held.open();
  await sleeper.says(/Another process took over this session while this one was away; nothing was written\./);
  sleeper.endInput();
  expect(await sleeper.exited()).toBe(1);
  expect(await said(machine, sessionId)).toEqual([
    ...before,
    "user: Something slow",
    MARKER,
    "user: Go on",
    "assistant: Answer to: Go on",
  ]);
});

it("a terminal that slept while nobody wanted the session goes on with its turn", async () => {
  const sessionId = await begin(machine, "Plan a trip");
  const held = gate();
  model.push({ say: "An answer that comes late.", hold: held });
  const sleeper = machine.start("chat", "--session", sessionId);
  sleeper.type("Something slow");
  await held.reached;
  await machine.suspend(sleeper);
  moveClock(LATER);
  sleeper.kill("SIGCONT");
  held.open();
  await sleeper.says(/An answer that comes late\./);
  sleeper.endInput();
  expect(await sleeper.exited()).toBe(0);
  expect((await said(machine, sessionId)).at(-1)).toBe("assistant: An answer that comes late.");
});

it.each([
  ["ahead", TWO_HOURS_MS],
  ["back", -TWO_HOURS_MS],
])("a clock that is set two hours %s in the middle of a turn takes it from nobody", async (_, wallMs) => {
  const sessionId = await begin(machine, "Plan a trip");
  const before = await said(machine, sessionId);
  const held = gate();
  model.push({ say: "An answer in its own time.", hold: held });
  const terminal = machine.start("chat", "--session", sessionId);
  terminal.type("Something slow");
  await held.reached;

  moveClock({ wallMs, steadyMs: 0 });
  const other = machine.startScript(join(import.meta.dirname, "../fixtures/moved-turn.ts"), sessionId, "Go on");
  await other.says(/waits for terminal/);
  held.open();
  await terminal.says(/An answer in its own time\./);
  await other.says(/Answer to: Go on/);
  terminal.endInput();
  expect(await terminal.exited()).toBe(0);
  expect(await said(machine, sessionId)).toEqual([
    ...before,
    "user: Something slow",
    "assistant: An answer in its own time.",
    "user: Go on",
    "assistant: Answer to: Go on",
  ]);
});

it("a turn is taken over 15 s after its holder stopped, with the clock set back", async () => {
  const sessionId = await begin(machine, "Plan a trip");
  const held = gate();
  model.push({ say: "An answer that comes too late.", hold: held });
  const sleeper = machine.start("chat", "--session", sessionId);
  sleeper.type("Something slow");
  await held.reached;
  await machine.suspend(sleeper);
  moveClock({ wallMs: -TWO_HOURS_MS, steadyMs: LATER.steadyMs });
  const other = machine.startScript(join(import.meta.dirname, "../fixtures/moved-turn.ts"), sessionId, "Go on");
  await other.says(/Answer to: Go on/);
  sleeper.kill("SIGCONT");
  held.open();
  await sleeper.says(/Another process took over this session/);
});

it("a gateway that slept while another took its account sends and answers nothing", async () => {
  const first = await startMovedGateway();
  const held = gate();
  model.push({ say: "An answer that comes too late.", hold: held });
  const pageOfFirst = await openPage(machine);
  await pageOfFirst.write("home", "Something slow");
  await held.reached;
  await machine.suspend(first);

  moveClock(LATER);
  await startMovedGateway();
  const page = await openPage(machine);
  await page.messageAfter(machine, "home", 0, "answer", /^Answer to: Something slow$/);

  first.kill("SIGCONT");
  // It still listens until it notices; what it is told then is for the one that has the account. On a slow machine it
  // notices at once, and its page is gone: then the person writes the same on the page of the other.
  const asked = ["home", "Who is there?", "the-same-message"] as const;
  await pageOfFirst.write(...asked).catch(() => page.write(...asked));
  await page.messageAfter(machine, "home", 0, "answer", /^Answer to: Who is there\?$/);
  held.open();
  await standsBy(first);
  const { messages } = await page.messages("home");
  expect(messages.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    "user: Something slow",
    "answer: Answer to: Something slow",
    "user: Who is there?",
    "answer: Answer to: Who is there?",
  ]);
  const [session] = (await (await machine.store()).sessions.list({ visible: EVERY_SESSION, limit: 1 })).sessions;
  if (!session) throw new Error("there is no session");
  expect(await said(machine, session.id)).toEqual([
    "user: Something slow",
    "assistant: Answer to: Something slow",
    "user: Who is there?",
    "assistant: Answer to: Who is there?",
  ]);
  expect(model.requests).toHaveLength(3);
});

function moveClock(ahead: Ahead): void {
  writeFileSync(clockFile, JSON.stringify(ahead));
}

function startMovedGateway(): Promise<HermesProcess> {
  return machine.startGateway(join(import.meta.dirname, "../fixtures/moved-gateway.ts"));
}

async function standsBy(gateway: HermesProcess): Promise<void> {
  const { gateways } = await machine.store();
  await machine.until(async () => {
    const row = (await gateways.alive()).find(({ holder }) => holder.pid === gateway.pid);
    return row?.platforms.every(({ standby }) => standby) ?? false;
  }, "that the gateway which slept stands by");
}
