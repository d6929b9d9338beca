import { createModelServer, createVirtualClock, type ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import type { Session } from "../model/session.ts";
import type { NewMessage, TranscriptMessage } from "../model/transcript.ts";
import type { Tool } from "./agent.ts";
import { createAgent } from "./create-agent.ts";

const DAY_MS = 24 * 60 * 60_000;
const clock = createVirtualClock(new Date(2026, 0, 10, 12).getTime());

let server: ModelServer;
beforeEach(async () => {
  server = await createModelServer([], { otherwise: "Seen." });
});
afterEach(() => server.close());

const look: Tool = {
  ...{ name: "look", description: "Looks.", input: z.object({}), effect: "reads" },
  ...{ summary: () => "", subjects: () => [], run: async () => ({ text: "" }) },
};

/** What a provider is sent for a transcript. */
async function sent(model: string, rows: readonly NewMessage[], more: Partial<Session> = {}) {
  const bare = server.url.replace("/v1", "");
  const environment = {
    ...{ ANTHROPIC_API_KEY: "sk-none", ANTHROPIC_BASE_URL: bare, GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: bare },
    ...{ OPENAI_API_KEY: "sk-none", OPENAI_BASE_URL: server.url },
  };
  const config = {
    ...{ model, instructions: "You know the sea.", modelTimeouts: { firstByteSeconds: 60, idleSeconds: 30 } },
    providers: {
      sealed: { baseUrl: server.url, protocol: "responses" as const, apiKey: "none" },
      openrouter: { baseUrl: server.url, apiKey: "none" },
    },
  };
  const agent = createAgent({ config, environment, clock });
  const session = { title: null, model: null, lastSurface: "terminal", workingDirectory: "/p", ...more } as Session;
  const messages = rows as readonly TranscriptMessage[];
  const { signal } = new AbortController();
  for await (const _ of agent.run({ session, messages, tools: [look], mayCall: true, signal }));
  const request = server.requests.at(-1);
  if (request === undefined) throw new Error("nothing was sent");
  return request;
}

const calls = (id: string): NewMessage => ({
  ...{ role: "assistant", text: "", toolCalls: [{ id, name: "look", input: {} }] },
  providerParts: {
    model: "anthropic/claude-test",
    parts: JSON.stringify({
      reasoning: [{ text: "Hm.", providerOptions: { anthropic: { signature: "s" } } }],
      calls: [null],
    }),
  },
});
const result = (id: string): NewMessage => ({ role: "tool", text: "fog", toolCallId: id });
const ask = (text: string): NewMessage => ({ role: "user", text });

const FIRST_STEP = [ask("One?"), calls("1.1"), result("1.1")];
const SECOND_STEP = [...FIRST_STEP, calls("2.1"), result("2.1")];
const NEXT_TURN = [...SECOND_STEP, { role: "assistant", text: "One." } as const, ask("Two?")];

interface Block {
  readonly cache_control?: unknown;
}

it("Anthropic is told up to where a request stays the same, by four marks at most", async () => {
  for (const rows of [[ask("One?")], FIRST_STEP, SECOND_STEP, NEXT_TURN, [...NEXT_TURN, calls("3.1"), result("3.1")]]) {
    const { body, messages } = await sent("anthropic/claude-test", rows);
    const ofSystem = (body.system as readonly Block[]).map(({ cache_control }) => cache_control !== undefined);
    expect(ofSystem).toEqual([true, false]);
    const last = messages.at(-1)?.content as readonly Block[];
    expect(last.at(-1)?.cache_control).toEqual({ type: "ephemeral" });
    expect(JSON.stringify(body).split("cache_control").length - 1).toBeLessThanOrEqual(4);
  }
});

it("OpenRouter is told the same of Claude, on texts and on a tool's result", async () => {
  for (const rows of [[ask("One?")], SECOND_STEP, NEXT_TURN]) {
    const { body } = await sent("openrouter/anthropic/claude-sonnet-5.5", rows);
    const [system, ...said] = body.messages as readonly { role: string; content: unknown; cache_control?: unknown }[];
    const mark = { type: "ephemeral" };
    expect(system).toMatchObject({
      role: "system",
      content: [{ type: "text", cache_control: mark }, { type: "text" }],
    });
    expect(JSON.stringify(system).split("cache_control")).toHaveLength(2);
    const last = said.at(-1);
    if (last?.role === "tool") expect(last).toMatchObject({ content: "fog", cache_control: mark });
    else expect(last?.content).toMatchObject([{ type: "text", text: expect.any(String), cache_control: mark }]);
    expect(JSON.stringify(body).split("cache_control").length - 1).toBeLessThanOrEqual(4);
  }
  const { body } = await sent("openrouter/openai/gpt-5.4", SECOND_STEP);
  expect(JSON.stringify(body)).not.toContain("cache_control");
});

it("the part before a mark is the same in the next request and the next turn", async () => {
  const bare = (value: unknown) => JSON.stringify(value).replaceAll(/,?"cache_control":\{[^}]*\}/g, "");
  const first = await sent("anthropic/claude-test", FIRST_STEP);
  const second = await sent("anthropic/claude-test", SECOND_STEP);
  const next = await sent("anthropic/claude-test", NEXT_TURN);
  expect(bare(second.messages.slice(0, first.messages.length))).toBe(bare(first.messages));
  const [begin] = next.messages;
  expect(bare(begin)).toBe(bare(first.messages[0]));
  expect(JSON.stringify(begin)).toContain("cache_control");
  expect(JSON.stringify(next.messages[1])).not.toContain("Hm.");
});

it.each(["anthropic/claude-test", "openai/gpt-test", "sealed/gpt-test", "google/gemini-test"])(
  "what %s is sent begins the same on another day, place and title",
  async (model) => {
    const before = await sent(model, [ask("One?")]);
    await clock.advance(DAY_MS);
    const after = await sent(model, [ask("One?")], { title: "Tides", lastSurface: "agent:main:web:dm:1" as never });
    expect(after.system).not.toBe(before.system);
    const differs = [...before.system].findIndex((letter, at) => letter !== after.system[at]);
    expect(before.system.slice(0, differs)).toMatch(/^You know the sea\.[\s\S]*unless the user asks for it\.\s+/);
    expect(JSON.stringify(after.body.tools)).toBe(JSON.stringify(before.body.tools));
    if (!model.startsWith("anthropic/")) expect(JSON.stringify(before.body)).not.toContain("cache_control");
  },
);
