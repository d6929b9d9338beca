import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createModelServer } from "@hermes/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../base/clock.ts";
import { createConcealer } from "../base/redact.ts";
import type { Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { AgentEvent, Tool } from "./agent.ts";
import { askModel } from "./ask-model.ts";
import { concealingAgent } from "./concealing-agent.ts";
import { createAgent } from "./create-agent.ts";
import { type HistoryRow, toModelMessages } from "./message-history.ts";

const PARTS = {
  model: "mine/m",
  parts: JSON.stringify({ reasoning: [{ text: "hm" }], calls: [{ google: { thoughtSignature: "s1" } }] }),
};
const CALLED: HistoryRow[] = [
  { role: "user", text: "Look" },
  { role: "assistant", text: "", toolCalls: [{ id: "1.1", name: "look", input: {} }], providerParts: PARTS },
  { role: "tool", text: "seen", toolCallId: "1.1" },
];

it("what a provider wants back goes to its model alone", () => {
  const [, said] = toModelMessages(CALLED, "mine/m");
  expect(said?.content).toMatchObject([
    { type: "reasoning", text: "hm" },
    { type: "tool-call", providerOptions: { google: { thoughtSignature: "s1" } } },
  ]);
  const [, other] = toModelMessages(CALLED, "mine/other");
  expect(JSON.stringify(other)).not.toContain("hm");
});

it("what a provider wants back is left out once a person has spoken again", () => {
  const messages = toModelMessages([...CALLED, { role: "user", text: "And?" }], "mine/m");
  expect(JSON.stringify(messages)).not.toContain("hm");
});

it("a message that reasons comes with its reasoning, which is sent back with it", async () => {
  const sent: { readonly messages: readonly { readonly role: string }[] }[] = [];
  const events = (deltas: readonly object[]) =>
    [
      ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ]
      .map((event) => `data: ${JSON.stringify({ id: "c", ...event })}\n\n`)
      .join("");
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(JSON.parse(String(init?.body)));
    const body = events([{ reasoning_content: "let me " }, { reasoning_content: "see" }, { content: "Well." }]);
    return new Response(`${body}data: [DONE]\n\n`, { headers: { "content-type": "text/event-stream" } });
  };
  const model = createOpenAICompatible({ name: "mine", baseURL: "http://127.0.0.1:9/v1", fetch })("m");
  const ask = async (rows: readonly HistoryRow[]) => {
    const asking = askModel({
      ...{
        clock: systemClock,
        name: "mine/m",
        system: { stable: "You help.", changing: "It is late." },
        rows,
        tools: [],
        mayCall: false,
      },
      resolved: { model, provider: "mine", protocol: "compatible", keySource: null, apiKey: null },
      signal: new AbortController().signal,
    });
    for (let next = await asking.next(); ; next = await asking.next()) if (next.done) return next.value;
  };
  const reply = await ask([{ role: "user", text: "Look" }]);
  const providerParts = reply.parts.end("mine/m");
  expect(JSON.parse(providerParts?.parts ?? "{}")).toMatchObject({ reasoning: [{ text: "let me see" }] });
  const toolCalls = [{ id: "1.1", name: "look", input: {} }];
  const step: HistoryRow = { role: "assistant", text: "Well.", toolCalls, providerParts };
  await ask([{ role: "user", text: "Look" }, step, { role: "tool", text: "seen", toolCallId: "1.1" }]);
  expect(sent[1]?.messages.find(({ role }) => role === "assistant")).toMatchObject({
    role: "assistant",
    content: "Well.",
    reasoning_content: "let me see",
  });
});

it("reasoning that repeats a secret is not kept", async () => {
  const parts = { model: "m", parts: '{"reasoning":[{"text":"the key is s3cret-key-1"}],"calls":[]}' };
  const agent = concealingAgent(
    {
      modelOf: () => "m",
      async *run() {
        yield { type: "message", text: "Hi", calls: [], providerParts: parts };
      },
    },
    createConcealer(["s3cret-key-1"]),
  );
  const events: AgentEvent[] = [];
  const request = { messages: [], tools: [], mayCall: false, signal: new AbortController().signal };
  for await (const event of agent.run({ ...request, session: {} as never })) events.push(event);
  expect(events.at(-1)).toMatchObject({ text: "Hi", providerParts: undefined });
});

it.each(["anthropic/claude-test", "sealed/gpt-test", "google/gemini-3-test"])(
  "what %s sealed comes back with its calls' results, to no other model",
  async (name) => {
    await using server = await createModelServer(
      [{ call: [{ name: "look" }, { name: "look" }], thought: "c2VhbGVk" }],
      {
        otherwise: "Seen.",
      },
    );
    const bare = server.url.replace("/v1", "");
    const environment = {
      ...{
        ANTHROPIC_API_KEY: "sk-none",
        ANTHROPIC_BASE_URL: bare,
        GEMINI_API_KEY: "none",
        GOOGLE_GEMINI_BASE_URL: bare,
      },
      ...{ OPENAI_API_KEY: "sk-none", OPENAI_BASE_URL: server.url },
    };
    const config = {
      ...{ instructions: null, modelTimeouts: { firstByteSeconds: 60, idleSeconds: 30 } },
      providers: { sealed: { baseUrl: server.url, protocol: "responses" as const, apiKey: "none" } },
    };
    const look: Tool = {
      ...{ name: "look", description: "Looks.", input: z.object({}), effect: "reads" },
      ...{ summary: () => "", subjects: () => [], run: async () => ({ text: "" }) },
    };
    const ask = async (model: string, rows: readonly HistoryRow[]) => {
      const agent = createAgent({ config: { ...config, model }, environment, clock: systemClock });
      const session = {
        title: null,
        model: null,
        lastSurface: "terminal",
        workingDirectory: null,
      } as unknown as Session;
      const { signal } = new AbortController();
      const messages = rows as readonly TranscriptMessage[];
      for await (const event of agent.run({ session, messages, tools: [look], mayCall: true, signal })) {
        if (event.type === "message") return event;
      }
      throw new Error("no message");
    };

    const asked: HistoryRow = { role: "user", text: "Look" };
    const { calls, providerParts } = await ask(name, [asked]);
    const toolCalls = calls.map(({ call }) => call);
    const said: HistoryRow = { role: "assistant", text: "", toolCalls, providerParts };
    const results = toolCalls.map(({ id }): HistoryRow => ({ role: "tool", text: "fog", toolCallId: id }));
    await ask(name, [asked, said, ...results]);
    await ask("openai/other", [asked, said, ...results]);
    const sent = server.requests.map(({ body }) => JSON.stringify(body));
    expect(sent.map((body) => body.split("c2VhbGVk").length - 1)).toEqual([0, 1, 0]);
    if (name.startsWith("sealed/")) expect(server.requests[0]?.body).toMatchObject({ store: false });
  },
);
