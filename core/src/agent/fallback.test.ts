import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModelServer, createVirtualClock, gate, type ModelServer, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { Agent, AgentEvent, RequestSize } from "./agent.ts";
import { createAgent } from "./create-agent.ts";
import { ModelHealth } from "./model-health.ts";

const FIRST = "openai/first";
const SECOND = "anthropic/second";
const THIRD = "google/third";
/** Two of the table: it reads 200,000 tokens, and a million. */
const SMALL = "anthropic/claude-haiku-4-5";
const LARGE = "anthropic/claude-sonnet-5-5";
const overloaded = { status: 503, message: "Overloaded", headers: { "retry-after-ms": "1" } };

let clock: VirtualClock;
let server: ModelServer;
let home: string;
let health: ModelHealth;
beforeEach(async () => {
  clock = createVirtualClock();
  server = await createModelServer();
  home = mkdtempSync(join(tmpdir(), "hermes-fallback-"));
  health = new ModelHealth(home, clock);
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

const session = { title: null, model: null, lastSurface: "terminal", workingDirectory: null } as unknown as Session;

function agentWith(fallback: readonly string[], environment: NodeJS.ProcessEnv = {}): Agent {
  const bare = server.url.replace("/v1", "");
  return createAgent({
    config: {
      ...{ model: FIRST, models: { fallback, known: {} }, providers: {}, instructions: null },
      modelTimeouts: { firstByteSeconds: 60, idleSeconds: 30 },
    },
    environment: {
      ...{ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test" },
      ...{ ANTHROPIC_BASE_URL: bare, GEMINI_API_KEY: "test", GOOGLE_GEMINI_BASE_URL: bare, ...environment },
    },
    ...{ clock, health },
  });
}

/** What the agent yields, without the words of the answer and its waits. */
async function ask(agent: Agent, turnId = "trn_1", size?: RequestSize): Promise<AgentEvent[]> {
  const asked = { role: "user", text: "When is high water?", seq: 1, turnId } as unknown as TranscriptMessage;
  const { signal } = new AbortController();
  const found: AgentEvent[] = [];
  for await (const event of agent.run({
    session,
    messages: [asked],
    tools: [],
    mayCall: false,
    signal,
    ...(size && { size }),
  })) {
    if (event.type === "waiting") setImmediate(() => void clock.advance(event.waitMs));
    else if (event.type !== "text") found.push(event);
  }
  return found;
}

const askedModels = () => server.requests.map(({ model }) => model);

describe("models.fallback", () => {
  it("asks the next model when the first stays overloaded, and says so in one line", async () => {
    server.push(overloaded, overloaded, overloaded, "At noon.");
    expect(await ask(agentWith([SECOND, THIRD]))).toMatchObject([
      { type: "fallback", text: "openai/first is overloaded; anthropic/second answers" },
      { type: "message", text: "At noon.", model: SECOND },
    ]);
    expect(askedModels()).toEqual(["first", "first", "first", "second"]);
  });

  it("goes on with the model that answered within a turn, and begins anew in the next", async () => {
    const agent = agentWith([SECOND]);
    server.push({ status: 401, message: "no" }, "One.", "Two.", "Three.");
    await ask(agent);
    expect(await ask(agent)).toMatchObject([{ type: "message", model: SECOND }]);
    expect(await ask(agent, "trn_2")).toMatchObject([{ type: "message", model: FIRST }]);
    expect(askedModels()).toEqual(["first", "second", "second", "first"]);
  });

  it.each([
    ["whose key is refused", { status: 401, message: "no" }, "is not given: its key is refused"],
    ["that is gone", { status: 404, message: "no" }, "is gone"],
    ["without credit", { status: 429, message: "no", type: "insufficient_quota" }, "takes no more requests for now"],
  ])("asks the next model instead of one %s", async (_, reply, why) => {
    server.push(reply, "At noon.");
    const [said] = await ask(agentWith([SECOND]));
    expect(said).toEqual({ type: "fallback", text: `openai/first ${why}; anthropic/second answers` });
  });

  it("passes over a model that has no key", async () => {
    server.push({ status: 404, message: "no" }, "At noon.");
    const [said] = await ask(agentWith([SECOND, THIRD], { ANTHROPIC_API_KEY: "" }));
    expect(said).toMatchObject({ text: "openai/first is gone, anthropic/second has no key; google/third answers" });
  });

  it("asks the next model instead of one that sends nothing", async () => {
    const late = gate();
    server.push({ say: "Late.", late }, "At noon.");
    const asked = ask(agentWith([SECOND]));
    await late.reached;
    await clock.advance(60_000);
    expect(await asked).toMatchObject([
      { text: "openai/first sends nothing; anthropic/second answers" },
      { model: SECOND },
    ]);
  });

  it("asks nobody else once something was said", async () => {
    server.push({ say: "One two", fails: { ...overloaded, type: "server_error" } }, "At noon.");
    await expect(ask(agentWith([SECOND]))).rejects.toMatchObject({ code: "AGENT_OVERLOADED" });
    expect(askedModels()).toEqual(["first"]);
  });

  it.each([
    ["that is too long", { status: 400, message: "maximum context length is 1" }, "AGENT_CONTEXT_FULL"],
    ["whose answer is held back", { refused: true }, "AGENT_REFUSED"],
    ["that is not understood", { status: 400, message: "no" }, "AGENT_FAILED"],
  ])("asks nobody else about a request %s", async (_, reply, code) => {
    server.push(reply, "At noon.");
    await expect(ask(agentWith([SECOND]))).rejects.toMatchObject({ code });
    expect(askedModels()).toEqual(["first"]);
  });

  it("asks for a shorter request where only a model is left that reads less", async () => {
    const agent = agentWith([SMALL]);
    server.push({ status: 404, message: "no" }, "At noon.");
    const window = 1_000_000;
    await expect(ask(agent, "trn_1", { tokens: 900_000, window })).rejects.toMatchObject({
      ...{ code: "AGENT_CONTEXT_FULL", fields: { model: SMALL } },
    });
    expect(await ask(agent, "trn_1", { tokens: 150_000, window: 200_000 })).toMatchObject([
      { type: "fallback", text: "openai/first is gone; anthropic/claude-haiku-4-5 answers" },
      { type: "message", model: SMALL },
    ]);
    expect(askedModels()).toEqual(["first", "claude-haiku-4-5"]);
  });

  it("asks a model that reads the whole request before one that does not", async () => {
    server.push({ status: 404, message: "no" }, "At noon.");
    const events = await ask(agentWith([SMALL, LARGE]), "trn_1", { tokens: 900_000, window: 1_000_000 });
    expect(events.at(-1)).toMatchObject({ type: "message", model: LARGE });
  });

  it("names each model when none answers", async () => {
    const gone = { status: 404, message: "no" };
    server.push(gone, gone);
    await expect(ask(agentWith([SECOND]))).rejects.toMatchObject({
      code: "AGENT_NONE_ANSWERED",
      message: "No model answered: openai/first is gone, anthropic/second is gone.",
    });
  });
});

it("a model that did not answer is kept for all processes, until it does", async () => {
  server.push({ status: 404, message: "no" }, "Two.", "Three.");
  const agent = agentWith([SECOND]);
  await ask(agent);
  const other = new ModelHealth(home, clock);
  expect(other.failureOf(FIRST)).toEqual({ at: clock.now(), why: "is gone" });
  expect(other.failureOf(SECOND)).toBeNull();
  await ask(agent, "trn_2");
  expect(other.failureOf(FIRST)).toBeNull();
});
