import { EVERY_SESSION, type SessionId } from "@hermes/core/embed";
import type { ModelServer } from "@hermes/testing";
import { gate } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HermesMachine, HermesProcess } from "../support/hermes-process.ts";
import { begin, handOff, said, threadOf } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";
import { openPage, type Page } from "../support/page.ts";

/** How a terminal can be left. Each resolves to what the chat ended with; null: by a signal. */
const WAYS: Readonly<Record<string, (terminal: HermesProcess) => void>> = {
  "/quit": (terminal) => terminal.type("/quit"),
  "the end of input": (terminal) => terminal.endInput(),
  SIGHUP: (terminal) => terminal.kill("SIGHUP"),
  SIGTERM: (terminal) => terminal.kill("SIGTERM"),
  "kill -9": (terminal) => terminal.kill("SIGKILL"),
};

/** What stands in the transcript behind a request in the middle of whose answer the terminal was left. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  SIGHUP: [
    "assistant: Never ",
    "hermes: ⟦this turn was stopped before it was answered; no tool ran; the request above is closed⟧",
  ],
  "kill -9": ["hermes: ⟦this turn was interrupted before it was answered; no tool ran; the request above is closed⟧"],
};

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

describe("a session that was handed off stays as it is when its terminal is left", () => {
  it.each(Object.keys(WAYS))("by %s; the browser goes on in it", async (way) => {
    const sessionId = await begin(machine, `Plan a trip, then ${way}`);
    const terminal = machine.start("chat", "--session", sessionId);
    terminal.type("And the food?");
    await terminal.says(/Answer to: And the food\?/);

    const { threadId } = await handOff(machine, sessionId);
    await terminal.says(/on web, in a thread/);
    const before = await everythingOf(sessionId);
    WAYS[way]?.(terminal);
    await terminal.exited();

    expect(await everythingOf(sessionId)).toEqual(before);
    await goesOn(sessionId, threadId, before.said);
  });

  it("closing the terminal's window leaves the session, and the browser goes on in it", async () => {
    const sessionId = await begin(machine, "Plan a trip in a window");
    const window = machine.startInWindow("chat", "--session", sessionId);
    window.type("And the food?");
    await window.says(/Answer to: And the food\?/);
    const { threadId } = await handOff(machine, sessionId);
    await window.says(/on web, in a thread/);
    const before = await everythingOf(sessionId);
    window.kill("SIGKILL");
    await window.exited();

    expect(await everythingOf(sessionId)).toEqual(before);
    await goesOn(sessionId, threadId, before.said);
  });
});

it.each(["SIGHUP", "kill -9"])("a terminal that is left by %s in the middle of a turn holds nobody up", async (way) => {
  const sessionId = await begin(machine, `Plan a journey, then ${way}`);
  const { threadId } = await handOff(machine, sessionId);
  const before = await said(machine, sessionId);
  const held = gate();
  model.push({ say: "Never to be finished.", hold: held });
  const terminal = machine.start("chat", "--session", sessionId);
  terminal.type("Something slow");
  await held.reached;
  await terminal.says(/Neve/);
  WAYS[way]?.(terminal);
  await terminal.exited();

  const left = [...before, "user: Something slow", ...(KEPT[way] ?? [])];
  await goesOn(sessionId, threadId, left);
});

describe("/handoff in the chat itself", () => {
  it("leaves as with /quit, and the browser goes on in the session", async () => {
    const terminal = machine.start();
    terminal.type("Plan a museum day");
    await terminal.says(/Answer to: Plan a museum day/);
    terminal.type("/handoff web");
    const [link] = await terminal.says(/http:\/\/\S+#code=\S+/);
    expect(await terminal.exited()).toBe(0);

    const [session] = (await (await machine.store()).sessions.list({ visible: EVERY_SESSION, limit: 1 })).sessions;
    expect(session?.title).toBe("Plan a museum day");
    if (session) await goesOn(session.id, threadOf(link), await said(machine, session.id));
  });

  it("/handoff in the chat completes although the terminal is killed during it", async () => {
    const held = gate();
    const sessionId = await begin(machine, "Plan a boat trip");
    model.push({ say: "Here is where things stand.", hold: held });
    const terminal = machine.start("chat", "--session", sessionId);
    terminal.type("/handoff web");
    await held.reached;
    terminal.kill("SIGKILL");
    await terminal.exited();
    held.open();

    const { handoffs } = await machine.store();
    await machine.until(async () => (await handoffs.latestOf(sessionId))?.state === "completed");
    const handoff = await handoffs.latestOf(sessionId);
    const before = await said(machine, sessionId);
    expect(before.at(-1)).toBe("assistant: Here is where things stand.");
    await goesOn(sessionId, threadOf(handoff?.link ?? null), before);
  });
});

/** All that leaving could change. */
async function everythingOf(sessionId: SessionId) {
  const store = await machine.store();
  return {
    session: await store.sessions.get(sessionId),
    bindings: await store.bindings.of(sessionId),
    turn: await store.turns.running(sessionId),
    handoff: await store.handoffs.latestOf(sessionId),
    said: await said(machine, sessionId),
  };
}

/** The next message in the browser is answered in the same session, and adds to it nothing but the two. */
async function goesOn(sessionId: SessionId, threadId: string, before: readonly string[]): Promise<void> {
  const { sessions } = await machine.store();
  const count = await sessions.count();
  await page.ask(machine, threadId, "Go on here", /^Answer to: Go on here$/);
  expect(await said(machine, sessionId)).toEqual([...before, "user: Go on here", "assistant: Answer to: Go on here"]);
  expect(await sessions.count()).toBe(count);
}
