import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import type { Agent, Tool } from "../agent/agent.ts";
import { NO_FACTS } from "../agent/model-facts.ts";
import { silentLogger } from "../base/logger.ts";
import { createConcealer } from "../base/redact.ts";
import type { ApprovalDecision } from "../model/approval.ts";
import type { Limits } from "../model/limit.ts";
import { OPERATOR, type SessionId, type UserId } from "../model/session.ts";
import type { Turn } from "../model/turn.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import { LeasedTurns } from "./leased-turns.ts";
import { testPolicy } from "./test-policy.ts";
import { TurnLimits } from "./turn-limits.ts";
import { TurnUsage } from "./turn-usage.ts";

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const DAY_MS = 24 * 60 * 60_000;

const look: Tool = {
  ...{ name: "look", description: "Looks.", input: z.object({}), effect: "reads" },
  ...{ summary: () => "look", subjects: () => [], run: async () => ({ text: "seen" }) },
};

/** A model that calls a tool `calls` times in a turn and then answers; each request costs a dollar for 1,000 tokens. */
function dollarModel(calls: number, name = "acme/priced") {
  const asked: string[] = [];
  const agent: Agent = {
    modelOf: () => name,
    async *run({ messages }) {
      asked.push(messages.findLast(({ role }) => role === "user")?.text ?? "");
      const turnId = messages.at(-1)?.turnId;
      const steps = messages.filter((one) => one.turnId === turnId && (one.toolCalls?.length ?? 0) > 0).length;
      const usage = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 0 };
      const call = { call: { id: `call_${steps}`, name: "look", input: {} }, problem: null };
      yield steps < calls
        ? { type: "message", text: "Let me see.", calls: [call], usage }
        : { type: "message", text: "At noon.", calls: [], usage };
    },
  };
  return { agent, asked };
}

async function machine(limits: Limits, { calls = 3, model = "acme/priced" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hermes-limits-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createVirtualClock(new Date(2026, 0, 10, 12).getTime());
  let ids = 0;
  const open = async () => {
    const store = await openSqliteStore({
      ...{ file: join(folder, "store", "hermes.db"), clock, probe: { fate: () => "alive" } },
      ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(6, "0")}` },
    });
    cleanUps.push(() => store.close());
    return store;
  };
  const store = await open();
  const { agent, asked } = dollarModel(calls, model);
  const prices = { input: 1_000, output: 0 };
  const catalogue = {
    factsOf: (name: string) => ({ ...NO_FACTS, prices: name === "acme/priced" ? prices : null }),
  };
  const processOn = (at: typeof store, id: string) => {
    const holder = { id, host: "laptop", pid: 1, pidStart: "1", role: "terminal" } as const;
    const secrets = [(text: string) => text, createConcealer([])] as const;
    const parts = [at, clock, silentLogger, holder, testPolicy([look]), ...secrets, agent, catalogue, limits] as const;
    return new LeasedTurns(...parts);
  };
  const begin = (user: UserId = OPERATOR) => store.sessions.create({ user, origin: "terminal", originChat: null });
  const { id } = await begin();
  const say = (text = "When is high water?", sessionId = id) =>
    processOn(store, "prc_a").run({
      ...{ sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: true },
      message: { role: "user", text },
    });
  const decide = async (decision: ApprovalDecision) => {
    const [asks] = await store.approvals.open();
    if (asks === undefined) throw new Error("nothing is asked");
    const by = { name: "you", author: "terminal" } as const;
    await store.approvals.decide({ id: asks.id, decision, by, surface: "terminal" });
  };
  const resume = async (at = store) => {
    const [turn] = await at.turns.resumable("terminal");
    if (turn === undefined) throw new Error("no turn can be resumed");
    return processOn(at, "prc_b").resume({ turnId: turn.id });
  };
  const compact = (sessionId: SessionId) =>
    processOn(store, "prc_a").compact({ sessionId, surface: "terminal", focus: null });
  const questions = async () => (await store.approvals.open()).map(({ summary }) => summary);
  return { ...{ store, clock, id, asked, say, decide, resume, questions, begin, open, compact } };
}

it("asks before the next request once a limit is reached, and goes on after a yes", async () => {
  const { store, asked, say, decide, resume, questions } = await machine({ day: { dollars: 2 } });
  expect(await say()).toMatchObject({ state: "parked", approvals: [{ kind: "limit", tool: "limit" }] });
  expect(asked).toHaveLength(2);
  expect(await questions()).toEqual(["go on beyond the limit of $2.00 for today, up to $4.00"]);
  const [asks] = await store.approvals.open();
  expect(asks?.messages[0]?.markdown).toMatch(
    /^\*\*Go on beyond the limit of \$2\.00 for today\?\*\*\n\nThe limit of \$2\.00 for today is reached: \$2\.00 was used\./,
  );
  expect(asks?.messages[0]?.choices?.map(({ label }) => label)).toEqual(["Go on", "No"]);
  await decide({ kind: "once" });
  expect(await resume()).toMatchObject({ state: "done", text: "At noon." });
  expect(asked).toHaveLength(4);
});

it("asks again when what was allowed is used up, and each yes counts once", async () => {
  const { say, decide, resume, questions } = await machine({ session: { tokens: 1_000 } }, { calls: 4 });
  await say();
  expect(await questions()).toEqual(["go on beyond the limit of 1k tokens for this session, up to 2k tokens"]);
  for (const upTo of ["3k", "4k", "5k"]) {
    await decide({ kind: "once" });
    expect(await resume()).toMatchObject({ state: "parked" });
    expect(await questions()).toEqual([expect.stringContaining(`up to ${upTo} tokens`)]);
  }
  await decide({ kind: "once" });
  expect(await resume()).toMatchObject({ state: "done" });
});

it.each([
  ["no", { kind: "no" } as const],
  ["no with a word", { kind: "no", word: "too much" } as const],
])("ends the turn with a sentence after a %s", async (_, decision) => {
  const { asked, say, decide, resume } = await machine({ day: { dollars: 2 } });
  await say();
  await decide(decision);
  const result = await resume();
  expect(result).toMatchObject({ state: "failed", error: { code: "LIMIT_REACHED" } });
  expect(result).toMatchObject({ error: { message: "The limit of $2.00 for today is reached: $2.00 was used." } });
  expect(asked).toHaveLength(2);
});

it("asks no model in a turn that begins beyond a limit, and keeps its message", async () => {
  const { store, id, asked, say, questions } = await machine({ day: { dollars: 1 } }, { calls: 0 });
  await say();
  const result = await say("And low water?");
  expect(result).toMatchObject({
    state: "failed",
    error: { code: "LIMIT_REACHED", message: "The limit of $1.00 for today is reached: $1.00 was used." },
  });
  expect(await questions()).toEqual([]);
  expect(asked).toEqual(["When is high water?"]);
  expect(await store.turns.undoLast(id)).toMatchObject({ text: "And low water?" });
});

it("sums no session up beyond a limit", async () => {
  const { id, asked, say, compact } = await machine({ session: { dollars: 1 } }, { calls: 0 });
  await say();
  await expect(compact(id)).rejects.toMatchObject({ code: "LIMIT_REACHED" });
  expect(asked).toHaveLength(1);
});

it("lets a question stand when its process dies, and another process goes on", async () => {
  const { store, say, decide, resume, open } = await machine({ day: { dollars: 2 } });
  await say();
  await store.close();
  const after = await open();
  expect(await after.approvals.open()).toMatchObject([{ kind: "limit", state: "open" }]);
  const [asks] = await after.approvals.open();
  const by = { name: "you", author: "terminal" } as const;
  if (asks) await after.approvals.decide({ id: asks.id, decision: { kind: "once" }, by, surface: "terminal" });
  expect(await resume(after)).toMatchObject({ state: "done" });
  await expect(decide({ kind: "once" })).rejects.toThrow();
});

it("counts a day anew when it is over, and the limit of a session for good", async () => {
  const day = await machine({ day: { dollars: 1 } }, { calls: 0 });
  await day.say();
  await day.clock.advance(DAY_MS);
  expect(await day.say()).toMatchObject({ state: "done" });
  const session = await machine({ session: { dollars: 1 } }, { calls: 0 });
  await session.say();
  await session.clock.advance(DAY_MS);
  expect(await session.say()).toMatchObject({ state: "failed" });
  const { id } = await session.begin();
  expect(await session.say("Hi", id)).toMatchObject({ state: "done" });
});

it("holds nothing up that a model says at a handoff", async () => {
  const { store, id, clock } = await machine({ day: { tokens: 1 } });
  await store.usage.raise({ subject: "day:2026-01-10", cost: 0, tokens: -1 }, null);
  const limits = { day: { tokens: 1 } };
  const turns = { store, clock, limits, policy: testPolicy([]) } as unknown as LeasedTurns;
  const question = (kind: string) => {
    const turn = { id: "trn_1", sessionId: id, cause: { kind }, author: "terminal" } as unknown as Turn;
    return new TurnLimits({ turns, turn, usage: new TurnUsage(turns, turn), request: "", isFirst: true }).question(
      false,
    );
  };
  await expect(question("terminal")).rejects.toMatchObject({ code: "LIMIT_REACHED" });
  expect(await question("handoff")).toBeNull();
});

it("counts for one person what that person used", async () => {
  const { store, say } = await machine({ person: { dollars: 1 } }, { calls: 0 });
  const other = await store.sessions.create({ user: "pager:ada" as UserId, origin: "terminal", originChat: null });
  await store.usage.raise({ subject: "person:2026-01-10:pager:ada", cost: 9_000_000, tokens: 0 }, null);
  await say();
  expect(await say()).toMatchObject({ state: "failed" });
  expect(await say("Hi", other.id)).toMatchObject({ state: "failed" });
});

it("counts tokens for a limit in dollars where the price is not known", async () => {
  const unknown = { calls: 2, model: "mine/unpriced" };
  const { say, decide, resume, questions } = await machine({ day: { dollars: 0.02 } }, unknown);
  expect(await say()).toMatchObject({
    state: "parked",
    approvals: [
      {
        detail: "The limit of $0.020 for today is reached: 2k tokens of unknown price at 100k to the dollar were used",
      },
    ],
  });
  expect(await questions()).toEqual(["go on beyond the limit of $0.020 for today, up to $0.040"]);
  await decide({ kind: "once" });
  expect(await resume()).toMatchObject({ state: "done" });
});

it("counts a limit's own number of tokens where the price is not known", async () => {
  const unknown = { calls: 2, model: "mine/unpriced" };
  expect(await (await machine({ day: { dollars: 0.01, tokens: 9_000 } }, unknown)).say()).toMatchObject({
    state: "done",
  });
  const limited = await machine({ day: { dollars: 1, tokens: 2_000 } }, unknown);
  expect(await limited.say()).toMatchObject({ state: "parked" });
  expect(await limited.questions()).toEqual(["go on beyond the limit of 2k tokens for today, up to 4k tokens"]);
});

it("reads once what people were asked before, and in a new turn not at all", async () => {
  const { store, id, clock } = await machine({});
  let reads = 0;
  const approvals = {
    ofTurn: async () => {
      reads++;
      return [];
    },
  };
  const turns = { store: { ...store, approvals }, clock, limits: {}, policy: testPolicy([]) } as unknown as LeasedTurns;
  const turn = { id: "trn_1", sessionId: id, cause: { kind: "inbox" }, author: "terminal" } as unknown as Turn;
  const steps = async (isFirst: boolean) => {
    const limits = new TurnLimits({ turns, turn, usage: new TurnUsage(turns, turn), request: "", isFirst });
    await limits.question(false);
    await limits.question(true);
  };
  await steps(true);
  expect(reads).toBe(0);
  await steps(false);
  expect(reads).toBe(1);
});
