import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createConcealer } from "../base/redact.ts";
import type { AgentEvent } from "./agent.ts";
import { askModel } from "./ask-model.ts";
import { concealingAgent } from "./concealing-agent.ts";
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
      ...{ clock: systemClock, name: "mine/m", system: "", rows, tools: [], mayCall: false },
      resolved: { model, provider: "mine", keySource: null, apiKey: null },
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
