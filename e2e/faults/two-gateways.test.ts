import type { SessionId } from "@hermes/core/embed";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import type { HermesMachine, HermesProcess } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, said, threadOf, transcript } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";
import { openPage, type Page } from "../support/page.ts";

interface StatusDocument {
  readonly gateways: readonly { readonly pid: number }[];
  readonly adapters: readonly { readonly platform: string; readonly health: string; readonly standby: boolean }[];
}

/** A gateway that stands by asks for the account every 5 s; the lease that a dead one leaves lasts 10 s at least. */
const AT_ONCE_MS = 9_000;

let model: ModelServer;
let machine: HermesMachine;
let serving: HermesProcess;
let standingBy: HermesProcess;
let page: Page;

beforeAll(async () => {
  model = await startModel();
  // The same address, whoever serves it.
  machine = machineWith(model, { plugins: [["@hermes/plugin-web", { port: await freePort() }]] });
  serving = await machine.startGateway();
  standingBy = await machine.startGateway();
  page = await openPage(machine);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

it("one serves and the other stands by, and the status says which", async () => {
  const { gateways, adapters } = await machine.json<StatusDocument>("status");
  expect(gateways.map(({ pid }) => pid)).toEqual([serving.pid, standingBy.pid]);
  expect(adapters.map(({ platform, standby }) => [platform, standby])).toEqual([
    ["web", false],
    ["web", true],
  ]);
  expect((await machine.run("status")).stdout).toMatch(/web: up.*web: standing by/s);
  expect(standingBy.stdout).toMatch(/web standing by/);
});

it("several handoffs at once are each carried out once", async () => {
  const sessions = await Promise.all(["Rome", "Oslo", "Lima"].map((city) => begin(machine, `A trip to ${city}`)));
  const handoffs = await Promise.all(
    sessions.map((sessionId) => machine.json<HandoffDocument>("handoff", "web", "--session", sessionId)),
  );
  for (const [at, handoff] of handoffs.entries()) await expectArrivedOnce(handoff, sessions[at]);
  expect(new Set(handoffs.map(({ link }) => link)).size).toBe(sessions.length);
});

it("a gateway that starts beside them leaves a running handoff alone", async () => {
  const sessionId = await begin(machine, "A trip that takes its time");
  const held = gate();
  model.push({ say: "All is planned.", hold: held });
  const handoff = await askFor(sessionId);
  await held.reached;
  const asked = model.requests.length;

  const third = await machine.startGateway();
  third.kill("SIGTERM");
  expect(await third.exited()).toBe(0);
  held.open();
  await expectArrivedOnce(await completed(handoff), sessionId);
  expect(model.requests).toHaveLength(asked);
  expect((await said(machine, sessionId)).at(-1)).toBe("assistant: All is planned.");
});

it("when the serving gateway is killed, the other takes over with its handoffs", async () => {
  const sessions = await Promise.all(["bus", "boat"].map((means) => begin(machine, `A trip by ${means}`)));
  const gates = sessions.map(() => gate());
  model.push(...gates.map((hold) => ({ say: "Never to be finished.", hold })));
  const asked = await Promise.all(sessions.map(askFor));
  await Promise.all(gates.map(({ reached }) => reached));

  const late = await begin(machine, "A trip on foot");
  serving.kill("SIGKILL");
  await serving.exited();
  const from = performance.now();
  // Asked for while nobody serves: it waits for who takes over, rather than to be refused.
  const lateHandoff = machine.json<HandoffDocument>("handoff", "web", "--session", late, "--ttl", "30");
  const { overview } = await machine.store();
  await machine.until(async () => {
    const account = (await overview.leases()).find(({ of }) => of.kind === "account");
    return account?.holder.pid === standingBy.pid;
  }, "that the other has the account");
  expect(performance.now() - from).toBeLessThan(AT_ONCE_MS);
  const handoffs = await Promise.all(asked.map(completed));
  for (const [at, handoff] of handoffs.entries()) await expectArrivedOnce(handoff, sessions[at]);
  await expectArrivedOnce(await lateHandoff, late);

  // The browser is signed in still, at the same address, and goes on.
  const threadId = threadOf(handoffs[0]?.link ?? null);
  await page.ask(machine, threadId, "Who serves me now?", /^Answer to: Who serves me now\?$/);
  const { gateways, adapters } = await machine.json<StatusDocument>("status");
  expect(gateways.map(({ pid }) => pid)).toEqual([standingBy.pid]);
  expect(adapters).toMatchObject([{ health: "up", standby: false }]);
});

function askFor(sessionId: SessionId): Promise<HandoffDocument> {
  return machine.json<HandoffDocument>("handoff", "web", "--session", sessionId, "--no-wait");
}

async function completed({ handoffId }: HandoffDocument): Promise<HandoffDocument> {
  const { handoffs } = await machine.store();
  await machine.until(async () => {
    const all = await handoffs.list({ inFlight: true, limit: 10 });
    return all.every(({ id }) => id !== handoffId);
  }, "the end of the handoff");
  return machine.json<HandoffDocument>("handoffs", "show", handoffId);
}

/** One thread with one answer, and one handoff's request in the transcript. */
async function expectArrivedOnce(handoff: HandoffDocument, sessionId: SessionId | undefined): Promise<void> {
  expect(handoff).toMatchObject({ state: "completed", step: "delivered", error: null, sessionId });
  const { threads } = await page.chats();
  const session = await machine.json<{ title: string }>("sessions", "show", handoff.sessionId);
  expect(threads.filter(({ name }) => name === session.title).map(({ id }) => id)).toEqual([threadOf(handoff.link)]);
  const { messages } = await page.messages(threadOf(handoff.link));
  expect(messages.map(({ kind }) => kind)).toEqual(["earlier", "notice", "card", "answer"]);
  const rows = await transcript(machine, handoff.sessionId as SessionId);
  expect(rows.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
}
