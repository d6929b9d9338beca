import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import type { Agent, AgentEvent, Tool } from "../agent/agent.ts";
import { NO_FACTS } from "../agent/model-facts.ts";
import { standInAgent } from "../agent/stand-in-agent.ts";
import { silentLogger } from "../base/logger.ts";
import { createConcealer } from "../base/redact.ts";
import { NO_MODEL } from "../model/model-choice.ts";
import { OPERATOR } from "../model/session.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import { LeasedTurns } from "./leased-turns.ts";
import { testPolicy } from "./test-policy.ts";
import { LEAVING } from "./turn-runner.ts";

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type Script = (signal: AbortSignal) => AsyncIterable<AgentEvent>;

const look: Tool = {
  ...{ name: "look", description: "Looks.", input: z.object({}), effect: "reads" },
  ...{ summary: () => "look", subjects: () => [], run: async () => ({ text: "seen" }) },
};

const call = { call: { id: "a", name: "look", input: {} }, problem: null };
const usage = { input: 1_000, cacheRead: 4_000, cacheWrite: 0, output: 100 };

async function machine(agent: Agent) {
  const folder = mkdtempSync(join(tmpdir(), "hermes-usage-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createVirtualClock();
  let ids = 0;
  const store = await openSqliteStore({
    ...{ file: join(folder, "store", "hermes.db"), clock, probe: { fate: () => "alive" } },
    ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(6, "0")}` },
  });
  cleanUps.push(() => store.close());
  const holder = { id: "prc_1", host: "laptop", pid: 1, pidStart: "1", role: "terminal" } as const;
  const prices = { input: 2, output: 10, cacheRead: 0.5 };
  const catalogue = {
    factsOf: (model: string) => ({ ...NO_FACTS, prices: model === "acme/priced" ? prices : null }),
  };
  const secrets = [(text: string) => text, createConcealer([])] as const;
  const turns = new LeasedTurns(
    ...([store, clock, silentLogger, holder, testPolicy([look]), ...secrets, agent, catalogue] as const),
  );
  const { id } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  const say = (signal?: AbortSignal) =>
    turns.run({
      ...{ sessionId: id, cause: { kind: "terminal" }, surface: "terminal", tools: true, signal },
      message: { role: "user", text: "When is high water?" },
    });
  return { store, id, say };
}

/** An agent that plays one script for each request. */
function playing(model: string, ...scripts: Script[]): Agent {
  return {
    modelOf: () => model,
    run({ signal }) {
      const script = scripts.shift();
      if (script === undefined) throw new Error("no script is left");
      return script(signal);
    },
  };
}

const message = (text: string, more: Partial<Extract<AgentEvent, { type: "message" }>> = {}): Script =>
  async function* () {
    yield { type: "message", text, calls: [], ...more };
  };

it("counts each message of a turn, at the price of its model", async () => {
  const { store, id, say } = await machine(
    playing("acme/priced", message("", { calls: [call], usage }), message("At noon.", { usage, model: "acme/other" })),
  );
  expect(await say()).toMatchObject({ state: "done" });
  const [other, priced] = await store.usage.groups("model", { session: id, limit: 9 });
  expect(priced).toMatchObject({ key: "acme/priced", ...usage, cost: 5_000, unpriced: 0, estimated: 0 });
  expect(other).toMatchObject({ key: "acme/other", ...usage, cost: 0, unpriced: 5_100 });
  expect(await store.usage.groups("person", { limit: 9 })).toMatchObject([{ key: OPERATOR, requests: 2 }]);
  expect(await store.usage.lastOf(id)).toMatchObject({ model: "acme/other", seq: 4 });
});

it("estimates the tokens where the provider did not count, and says so", async () => {
  const { store, id, say } = await machine(playing("acme/priced", message("At noon, as it is on each day.")));
  await say();
  const sum = await store.usage.sum({ session: id });
  expect(sum).toMatchObject({ requests: 1, estimated: 1, output: 8 });
  expect(sum.input).toBeGreaterThan(4);
  expect(sum.cost).toBe(sum.input * 2 + 80);
});

it("counts what a model wrote before it was stopped", async () => {
  const stop = new AbortController();
  const { store, id, say } = await machine(
    playing("acme/priced", async function* () {
      stop.abort();
      yield { type: "spent", model: "acme/priced", written: "At noon.", usage };
      throw new Error("aborted");
    }),
  );
  expect(await say(stop.signal)).toMatchObject({ state: "stopped" });
  expect(await store.usage.sum({ session: id })).toMatchObject({ requests: 1, cost: 5_000 });
  expect(await store.usage.lastOf(id)).toBeNull();
});

it("counts what a request used that failed", async () => {
  const { store, id, say } = await machine(
    playing("acme/priced", async function* () {
      yield { type: "spent", model: "acme/priced", written: "", usage };
      throw new Error("empty");
    }),
  );
  expect(await say()).toMatchObject({ state: "failed" });
  expect(await store.usage.sum({ session: id })).toMatchObject({ requests: 1, cost: 5_000 });
});

it("keeps what a process spent that leaves a turn to the next one", async () => {
  const stop = new AbortController();
  const { store, id, say } = await machine(
    playing("acme/priced", async function* () {
      stop.abort(LEAVING);
      yield { type: "spent", model: "acme/priced", written: "At n", usage };
      throw new Error("aborted");
    }),
  );
  await expect(say(stop.signal)).rejects.toThrow();
  expect(await store.usage.sum({ session: id })).toMatchObject({ requests: 1, cost: 5_000 });
  expect((await store.transcripts.read(id)).map(({ role }) => role)).toEqual(["user"]);
});

it("counts nothing where no model is set", async () => {
  const { store, say } = await machine({ ...standInAgent, modelOf: () => NO_MODEL });
  await say();
  expect(await store.usage.sum({})).toMatchObject({ requests: 0 });
});
