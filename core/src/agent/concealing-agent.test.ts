import { scriptedModel } from "@hermes/testing";
import { expect, it } from "vitest";
import { createConcealer } from "../base/redact.ts";
import type { Session } from "../model/session.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";
import { concealingAgent } from "./concealing-agent.ts";

const SECRET = "hunter2-hunter2-hunter2";
const concealer = createConcealer([SECRET]);

const request: AgentRequest = {
  session: { id: "ses_1", title: null } as Session,
  messages: [],
  tools: [],
  mayCall: true,
  signal: new AbortController().signal,
};

/** An agent that streams `text` in pieces of `size` UTF-16 units. */
function saying(text: string, size: number): Agent {
  return {
    modelOf: () => "test/model",
    async *run() {
      for (let at = 0; at < text.length; at += size) yield { type: "text", delta: text.slice(at, at + size) };
      yield { type: "message", text, calls: [] };
    },
  };
}

async function eventsOf(agent: Agent): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of concealingAgent(agent, concealer).run(request)) events.push(event);
  return events;
}

it.each([1, 2, 5, 7, 1_000])("an answer streamed in pieces of %i shows no secret", async (size) => {
  const events = await eventsOf(saying(`The key is ${SECRET}, and again ${SECRET}`, size));
  const shown = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
  expect(shown).not.toContain(SECRET.slice(3));
  // Its first characters may be shown before the stream can tell that a secret begins.
  expect(shown.replaceAll(/h?u?n?\[redacted\]/g, "[redacted]")).toBe("The key is [redacted], and again [redacted]");
  const text = "The key is [redacted], and again [redacted]";
  expect(events.at(-1)).toEqual({ type: "message", text, calls: [] });
});

it.each([1, 2, 5, 7, 1_000])(
  "an answer streamed in pieces of %i shows no secret with hidden characters inside",
  async (size) => {
    const hiding = [...SECRET].join("\u200b\u{e0041}");
    const events = await eventsOf(saying(`A \u2764\ufe0f for ${hiding}, once more: ${hiding}`, size));
    const shown = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
    expect(shown.replaceAll(/[\u200b\u{e0041}]/gu, "").replaceAll(/h?u?n?\[redacted\]/g, "[redacted]")).toBe(
      "A \u2764\ufe0f for [redacted], once more: [redacted]",
    );
  },
);

it("an answer without a secret keeps its hidden characters", async () => {
  const text = "\ufeffA \u2764\ufe0f and \u{1f468}\u200d\u{1f469}\u200d\u{1f467}, hun\u200bt\u{e0041}";
  for (const size of [1, 3]) {
    const events = await eventsOf(saying(text, size));
    expect(events.map((event) => (event.type === "text" ? event.delta : "")).join("")).toBe(text);
  }
});

it("a stream holds back only what may become a secret", async () => {
  const events = await eventsOf(saying("one hunt two", 4));
  // "hunt" is held back until the next piece, since the secret may begin there.
  expect(events.map((event) => (event.type === "text" ? event.delta : event.type))).toEqual([
    "one ",
    "hunt two",
    "message",
  ]);
});

it("an answer keeps what only looks like a secret", async () => {
  const text = "Set OPENAI_API_KEY=sk-abcdefghijklmnopqrstuv in postgres://me:pass@host";
  expect((await eventsOf(saying(text, 3))).at(-1)).toEqual({ type: "message", text, calls: [] });
});

it("a tool call whose input holds a secret is not run, and shows none", async () => {
  const model = scriptedModel([
    [{ say: "So: " }, { call: [{ name: "post", input: { header: [`Bearer ${SECRET}`] } }] }],
  ]);
  const step = (await eventsOf(model)).find(({ type }) => type === "message");
  expect(JSON.stringify(step)).not.toContain(SECRET);
  expect(step).toMatchObject({ calls: [{ call: { name: "post" }, problem: expect.stringContaining("not run") }] });
});
