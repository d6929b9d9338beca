import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@hermes/core/embed";
import { gate, type ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HermesMachine, testPlatform } from "./support/hermes-process.ts";
import { begin, said, threadOf } from "./support/journey.ts";
import { machineWith, startModel } from "./support/model.ts";
import { openPage } from "./support/page.ts";

interface StatusDocument {
  readonly gateways: readonly { readonly pid: number }[];
  readonly adapters: readonly { readonly platform: string; readonly health: string; readonly detail: string | null }[];
}

let model: ModelServer;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  machine = machineWith(model, { permissions: { allow: ["work"] } });
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

describe("a gateway that ends in the middle of an answer", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)(
    "a gateway on %s delivers the answer first, and exits with 0",
    async (signal) => {
      const gateway = await machine.startGateway();
      const held = gate();
      model.push({ say: "A whole answer.", hold: held });
      await (await openPage(machine)).write("home", "Something slow");
      await held.reached;
      gateway.kill(signal);
      await gateway.says(/Stopping; running turns finish first/);
      held.open();
      expect(await gateway.exited()).toBe(0);
      expect(await said(machine, await onlySession())).toEqual(["user: Something slow", "assistant: A whole answer."]);

      // It is on the page before anybody could send it again.
      model.push("Never to be asked for.");
      await machine.startGateway();
      const { messages } = await (await openPage(machine)).messages("home");
      expect(messages.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
        "user: Something slow",
        "answer: A whole answer.",
      ]);
      expect(model.requests).toHaveLength(1);
    },
  );

  it("after kill -9 before any tool ran, the next gateway answers the message once", async () => {
    const gateway = await machine.startGateway();
    const held = gate();
    model.push({ say: "Cut off.", hold: held });
    await (await openPage(machine)).write("home", "Something slow");
    await held.reached;
    gateway.kill("SIGKILL");
    await gateway.exited();

    await machine.startGateway();
    const page = await openPage(machine);
    await page.messageAfter(machine, "home", 0, "answer", /^Answer to: Something slow$/);
    await page.ask(machine, "home", "And now?", /^Answer to: And now\?$/);
    expect((await page.messages("home")).messages.map(({ kind }) => kind)).toEqual([
      "user",
      "answer",
      "user",
      "answer",
    ]);
    expect(await said(machine, await onlySession())).toEqual([
      "user: Something slow",
      "assistant: Answer to: Something slow",
      "user: And now?",
      "assistant: Answer to: And now?",
    ]);
    expect(model.requests).toHaveLength(3);
  });

  it("after kill -9 in a tool, the next gateway goes on and does not run it again", async () => {
    const gateway = await machine.startGateway(join(import.meta.dirname, "fixtures/tool-gateway.ts"));
    model.push({ say: "I will do it.", call: [{ name: "work" }] });
    await (await openPage(machine)).write("home", "Do the work");
    await gateway.says(/The tool runs/);
    gateway.kill("SIGKILL");
    await gateway.exited();

    await machine.startGateway();
    const page = await openPage(machine);
    await page.messageAfter(machine, "home", 0, "answer", /^Answer to: Do the work$/);
    await page.ask(machine, "home", "And now?", /^Answer to: And now\?$/);
    expect(await said(machine, await onlySession())).toEqual([
      "user: Do the work",
      "assistant: I will do it.",
      expect.stringMatching(/^tool: ⟦interrupted: this tool was running when Hermes stopped/),
      "assistant: Answer to: Do the work",
      "user: And now?",
      "assistant: Answer to: And now?",
    ]);
    // The one that was cut off, the same gone on with, and the new question.
    expect(model.requests).toHaveLength(3);
  });
});

it("a gateway stopped in the middle of a handoff leaves it to the next one", async () => {
  const gateway = await machine.startGateway();
  const sessionId = await begin(machine, "Plan a trip");
  const held = gate();
  model.push({ say: "Cut off.", hold: held });
  const terminal = machine.start("handoff", "web", "-s", sessionId);
  await held.reached;
  gateway.kill("SIGTERM");
  expect(await gateway.exited()).toBe(0);
  expect((await (await machine.store()).handoffs.latestOf(sessionId))?.state).toBe("running");

  await machine.startGateway();
  const [link] = await terminal.says(/http:\/\/\S+#code=\S+/);
  expect(await terminal.exited()).toBe(0);
  const page = await openPage(machine, link);
  const { threads } = await page.chats();
  expect(threads.map(({ id }) => id)).toEqual([threadOf(link)]);
  const { messages } = await page.messages(threadOf(link));
  expect(messages.map(({ kind }) => kind)).toEqual(["earlier", "notice", "card", "answer"]);
  expect((await said(machine, sessionId)).at(-1)).toBe(`assistant: ${messages.at(-1)?.text}`);
});

it("gateway --detach, status and gateway stop say what they found and did", async () => {
  expect((await machine.run("status")).stdout).toMatch(/No gateway is running.*--detach/);
  expect((await machine.run("gateway", "stop")).stdout).toMatch(/No gateway is running/);

  const started = await machine.run("gateway", "--detach");
  const pid = Number(/\(pid (\d+)\)/.exec(started.stdout)?.[1]);
  try {
    expect(started).toMatchObject({ code: 0, stderr: "" });
    expect(started.stdout).toMatch(/The gateway runs \(pid \d+\): web up/);
    expect((await machine.run("status")).stdout).toMatch(new RegExp(`gateway pid ${pid}.*web: up`, "s"));

    const again = await machine.run("gateway", "--detach");
    expect(again.stdout).toContain(`A gateway is running already (pid ${pid}).`);
    const beside = machine.start("gateway");
    await beside.says(/The gateway is ready.*web standing by/);
    beside.kill("SIGINT");
    expect(await beside.exited()).toBe(0);
  } finally {
    expect((await machine.run("gateway", "stop")).stdout).toContain(`Stopped the gateway (pid ${pid}).`);
  }
  expect((await machine.json<StatusDocument>("status")).gateways).toEqual([]);
});

it("gateway restart loses no message, and stops nothing when the config is broken", async () => {
  const none = await machine.run("gateway", "restart");
  try {
    expect(none).toMatchObject({ code: 0, stderr: "" });
    expect(none.stdout).toMatch(/^No gateway is running; one is started\.\nThe gateway runs \(pid \d+\): web up/);
    const pids = async () => (await (await machine.store()).gateways.alive()).map(({ holder }) => holder.pid);
    const first = await pids();

    const config = readFileSync(machine.configPath, "utf8");
    writeFileSync(machine.configPath, "{ broken");
    const refused = await machine.run("gateway", "restart");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/Nothing was stopped.*\n.*could not be read/);
    expect(await pids()).toEqual(first);

    // It runs on the config that it was started with, wherever the restart is asked for.
    writeFileSync(machine.configPath, config);
    const held = gate();
    model.push({ say: "A whole answer.", hold: held });
    await (await openPage(machine)).write("home", "Something slow");
    await held.reached;
    const restart = machine.start("gateway", "restart");
    await restart.says(/Stopping the gateway \(pid \d+\); running turns finish first/);
    // Its window is closed, and another restart is asked for meanwhile.
    restart.kill("SIGHUP");
    restart.kill("SIGINT");
    await restart.says(/again to leave it stopped/);
    const second = machine.start("gateway", "restart");
    await second.says(/Another restart is under way/);
    held.open();
    expect([await restart.exited(), await second.exited()]).toEqual([0, 0]);
    expect(restart.stdout).toMatch(/Starting it again\.\nThe gateway runs \(pid \d+\): web up/);
    expect(await pids()).toHaveLength(1);
    expect(await pids()).not.toEqual(first);
    const { messages } = await (await openPage(machine)).messages("home");
    expect(messages.map(({ text }) => text)).toEqual(["Something slow", "A whole answer."]);
    expect(model.requests).toHaveLength(1);
  } finally {
    await machine.run("gateway", "stop");
  }
});

it("gateway restart names a platform that stays down, and ends with 1", async () => {
  await using crowd = machineWith(model, {
    plugins: [testPlatform("broken"), ["@hermes/plugin-web", { port: 0 }]],
  });
  const { code, stdout, stderr } = await crowd.run("gateway", "restart");
  await crowd.run("gateway", "stop");
  expect(stdout).toMatch(/The gateway runs \(pid \d+\):.*web up/);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^Not served: broken down/) });
});

it("hermes gateway --detach is not held up by a platform that hangs, and names it", async () => {
  await using crowd = machineWith(model, {
    plugins: [testPlatform("stuck"), ["@hermes/plugin-web", { port: 0 }]],
  });
  const from = performance.now();
  const { stdout } = await crowd.run("gateway", "--detach");
  try {
    // A platform is given half a minute to start.
    expect(performance.now() - from).toBeLessThan(30_000);
    expect(stdout).toMatch(/The gateway runs \(pid \d+\): stuck starting; web up.*\nStill starting: stuck\. /);
  } finally {
    await crowd.run("gateway", "stop");
  }
});

it("a platform that throws or hangs leaves the others alone, and the status says so", async () => {
  await using crowd = machineWith(model, {
    plugins: [testPlatform("stuck"), testPlatform("broken"), ["@hermes/plugin-web", { port: 0 }]],
  });
  const gateway = crowd.start("gateway");
  const { gateways } = await crowd.store();
  await crowd.until(async () => {
    const [row] = await gateways.alive();
    return row?.platforms.some(({ platform, health }) => platform === "web" && health.state === "up") ?? false;
  }, "the web platform");

  const { adapters } = await crowd.json<StatusDocument>("status");
  expect(adapters.map(({ platform, health }) => [platform, health])).toEqual([
    ["stuck", "starting"],
    ["broken", "down"],
    ["web", "up"],
  ]);
  expect(adapters[1]?.detail).toMatch(/the wire to broken is cut.*started again within \d+ s/);
  expect((await crowd.run("status")).stdout).toMatch(/broken: down, .*the wire to broken is cut/);
  const page = await openPage(crowd);
  await page.ask(crowd, "home", "Are you there?", /^Answer to: Are you there\?$/);

  // Nor is the end held up by one that hangs, or disturbed by a timer that one left behind.
  const from = performance.now();
  gateway.kill("SIGTERM");
  expect(await gateway.exited()).toBe(0);
  // A platform is given ten seconds to stop.
  expect(performance.now() - from).toBeLessThan(10_000);
  expect(gateway.stderr).not.toContain("the timer of broken");
});

it("a gateway whose store file is removed says so and ends", async () => {
  await using doomed = machineWith(model);
  const gateway = await doomed.startGateway();
  rmSync(join(doomed.home, "store"), { recursive: true });
  expect(await gateway.exited()).toBe(1);
  expect(gateway.stderr).toMatch(/The store .*hermes\.db was removed or replaced while it was in use/);
});

async function onlySession(): Promise<SessionId> {
  const { sessions } = await machine.json<{ sessions: readonly { id: SessionId }[] }>("sessions");
  const [session] = sessions;
  if (!session || sessions.length > 1) throw new Error(`there are ${sessions.length} sessions`);
  return session.id;
}
