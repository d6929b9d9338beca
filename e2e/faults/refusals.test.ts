import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVERY_SESSION, type SessionId } from "@hermes/core/embed";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HermesMachine, type HermesProcess, testPlatform } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, handOff } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

/** Nothing is waited for: what soon can be had would be for 15 s and more. Two processes start meanwhile. */
const AT_ONCE_MS = 14_000;

interface ErrorDocument {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

let model: ModelServer;
let machine: HermesMachine;
let gateway: HermesProcess;
let sessionId: SessionId;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, {
    plugins: [
      ["@hermes/plugin-web", { port: 0 }],
      testPlatform("quiet"),
      testPlatform("broken"),
      testPlatform("crowded", { homeChannel: { chatId: "square", name: "The square" } }),
    ],
  });
  gateway = await machine.startGateway();
  sessionId = await begin(machine, "Plan a trip to Rome");
  await begin(machine, "Plan a trip to Oslo");
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

describe("hermes handoff says at once why it cannot be, and writes nothing", () => {
  it("hermes handoff refuses an unknown platform", () =>
    refuses(
      ["handoff", "telepathy", "-s", sessionId],
      "HANDOFF_PLATFORM_UNKNOWN",
      1,
      /no platform called telepathy.*Configured here: web, quiet/s,
    ));

  it("hermes handoff refuses a platform that the gateway's config does not have", async () => {
    const other = join(machine.folder, "other.config.json");
    writeFileSync(other, JSON.stringify({ plugins: [testPlatform("stuck")] }));
    const text = /does not serve stuck; it serves .*web.*restart the gateway/s;
    await refuses(["handoff", "stuck", "-s", sessionId, "--config", other], "HANDOFF_PLATFORM_NOT_SERVED", 1, text);
  });

  it("hermes handoff refuses a platform without a home channel", () =>
    refuses(["handoff", "quiet", "-s", sessionId], "CONFIG_HOME_CHANNEL_MISSING", 1, /quiet has no home channel/));

  it("hermes handoff refuses a platform that does not work", () =>
    refuses(["handoff", "broken", "-s", sessionId], "HANDOFF_PLATFORM_UNHEALTHY", 1, /the wire to broken is cut/));

  it("refuses a home channel that others read, unless the config says it is meant", () =>
    refuses(
      ["handoff", "crowded", "-s", sessionId],
      "CONFIG_HOME_CHANNEL_NOT_SHARED",
      1,
      /The square.*others there would read/,
    ));

  it("hermes handoff refuses an unknown session", () =>
    refuses(["handoff", "web", "-s", "no such thing"], "SESSION_UNKNOWN", 1, /There is no session no such thing/));

  it("hermes handoff refuses a name that several sessions have", () =>
    refuses(["handoff", "web", "-s", "Plan a trip"], "SESSION_AMBIGUOUS", 1, /matches 2 sessions: .*Oslo.*Rome/));

  it("hermes handoff refuses to run without a place", () => refuses(["handoff", "-s", "Plan"], "USAGE", 2, /place/));

  it("hermes handoff refuses a session that is already being handed off", async () => {
    const id = await begin(machine, "Plan a slow boat");
    const held = gate();
    model.push({ say: "Here it stands.", hold: held });
    const first = machine.start("handoff", "web", "-s", id, "--json");
    await held.reached;
    await refuses(["handoff", "web", "-s", id], "HANDOFF_IN_FLIGHT", 1, /already being handed off to web/);
    held.open();
    expect(await first.exited()).toBe(0);
    expect((JSON.parse(first.stdout) as HandoffDocument).state).toBe("completed");
  });

  it("a handoff to the place where the session is already is refused", async () => {
    const id = await begin(machine, "Plan a walk");
    const { handoff } = await handOff(machine, id);
    const at = new RegExp(`already: ${handoff.link}`);
    await refuses(["handoff", "web", "-s", id], "HANDOFF_ALREADY_THERE", 1, at);
    await refusesInChat(id, "/handoff web", at);
  });
});

describe("/handoff in the chat says why it cannot be, and the chat goes on", () => {
  it("/handoff refuses an unknown platform", () =>
    refusesInChat(sessionId, "/handoff telepathy", /no platform called telepathy/));
  it("/handoff refuses a platform without a home channel", () =>
    refusesInChat(sessionId, "/handoff quiet", /\/sethome/));
  it("/handoff refuses to run without a place", () => refusesInChat(sessionId, "/handoff", /Say to which place/));
});

it("a handoff that is asked for while a turn runs is accepted, and moves when it may", async () => {
  const id = await begin(machine, "Plan a long walk");
  const held = gate();
  model.push({ say: "It takes a while.", hold: held });
  const terminal = machine.start("chat", "--session", id);
  terminal.type("Something slow");
  await held.reached;
  const handoff = machine.start("handoff", "web", "-s", id, "--json");
  const store = await machine.store();
  await expect.poll(() => store.handoffs.latestOf(id)).toMatchObject({ waitsForTurn: true });
  await refuses(["handoff", "web", "-s", id], "HANDOFF_IN_FLIGHT", 1, /already being handed off to web/);
  held.open();
  expect(await handoff.exited()).toBe(0);
  expect((JSON.parse(handoff.stdout) as HandoffDocument).state).toBe("completed");
  terminal.endInput();
  expect(await terminal.exited()).toBe(0);
});

describe("where no gateway runs", () => {
  beforeAll(async () => {
    gateway.kill("SIGKILL");
    await gateway.exited();
  });

  it("hermes handoff says how to start one", async () => {
    await refuses(["handoff", "web", "-s", sessionId], "HANDOFF_NO_GATEWAY", 1, /Start one: `hermes gateway --detach`/);
    await refusesInChat(sessionId, "/handoff web", /Start one: `hermes gateway --detach`/);
  });

  it("asks a person in the chat whether to start a gateway; no changes nothing", async () => {
    const before = await rows();
    const window = machine.startInWindow("chat", "--session", sessionId);
    await window.says(/›/);
    window.type("/handoff web");
    await window.says(/No gateway is running[\s\S]*Start one now\? \(y\/n\)/);
    window.type("n");
    await window.says(/hermes gateway --detach/);
    window.type("/quit");
    await window.exited();
    expect(await rows()).toEqual(before);
  });

  it("yes starts one, and the session arrives", async () => {
    const window = machine.startInWindow("chat", "--session", sessionId);
    try {
      await window.says(/›/);
      window.type("/handoff web");
      await window.says(/Start one now\? \(y\/n\)/);
      window.type("y");
      await window.says(/http:\/\/\S+#code=\S+/);
      expect(await window.exited()).toBe(0);
    } finally {
      expect((await machine.run("gateway", "stop")).code).toBe(0);
    }
  });
});

/** For people and for scripts: at once, the code, a sentence and a next step, the exit code, and nothing written. */
async function refuses(args: readonly string[], code: string, exitCode: number, text: RegExp): Promise<void> {
  const before = await rows();
  const from = performance.now();
  const [forPeople, forScripts] = await Promise.all([machine.run(...args), machine.run(...args, "--json")]);
  expect(performance.now() - from).toBeLessThan(AT_ONCE_MS);

  expect(forPeople.code).toBe(exitCode);
  expect(forPeople.stderr).toMatch(text);
  expect(forPeople.stdout).toBe("");
  expect(forPeople.stderr).not.toMatch(/^\s+at /m);
  expect(forScripts.code).toBe(exitCode);
  expect(forScripts.stderr).toBe("");
  const { error } = JSON.parse(forScripts.stdout) as ErrorDocument;
  expect(error.code).toBe(code);
  expect(`${error.message} ${error.hint}`).toMatch(text);
  expect(error.hint).not.toBe("");
  expect(await rows()).toEqual(before);
}

/** In the chat the sentence is there too, nothing is written, and the next line is taken. */
async function refusesInChat(id: SessionId, line: string, text: RegExp): Promise<void> {
  const before = await rows();
  const terminal = machine.start("chat", "--session", id);
  terminal.type(line);
  await terminal.says(text);
  terminal.type("/whoami");
  await terminal.says(/You are the operator/);
  terminal.endInput();
  expect(await terminal.exited()).toBe(1);
  expect(await rows()).toEqual(before);
}

/** Everything that a handoff or a turn would leave behind, without the lease that a gateway renews while it works. */
async function rows() {
  const { sessions, handoffs, transcripts, bindings } = await machine.store();
  const all = (await sessions.list({ visible: EVERY_SESSION, limit: 100 })).sessions;
  return {
    sessions: all,
    handoffs: (await handoffs.list({ limit: 100 })).map(({ leaseUntil: _, ...handoff }) => handoff),
    messages: await Promise.all(all.map(({ id }) => transcripts.read(id))),
    bindings: await Promise.all(all.map(({ id }) => bindings.of(id))),
  };
}
