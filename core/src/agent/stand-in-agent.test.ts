import { describe, expect, it } from "vitest";
import { OPERATOR, type Session, type SessionId } from "../model/session.ts";
import type { NewMessage, TranscriptMessage } from "../model/transcript.ts";
import type { AgentEvent } from "./agent.ts";
import { standInAgent } from "./stand-in-agent.ts";

const SESSION: Session = {
  id: "ses_1" as SessionId,
  title: "Tide tables",
  user: OPERATOR,
  origin: "terminal",
  originChat: null,
  model: null,
  workingDirectory: "/srv/tides",
  mode: "default",
  lastSurface: "terminal",
  unmarkedUntil: 0,
  messageCount: 0,
  toolCallCount: 0,
  createdAt: 0,
  updatedAt: 0,
};

async function answer(messages: NewMessage[], signal = new AbortController().signal) {
  const rows: TranscriptMessage[] = messages.map((message, at) => ({
    ...message,
    sessionId: SESSION.id,
    seq: at + 1,
    turnId: null,
    createdAt: 0,
  }));
  const events: AgentEvent[] = [];
  for await (const event of standInAgent.run({ session: SESSION, messages: rows, tools: [], mayCall: false, signal })) {
    events.push(event);
  }
  const last = events.at(-1);
  return { events, text: last?.type === "message" ? last.text : "" };
}

describe("a session without a model", () => {
  it("the stand-in says that no model is set and how to set one", async () => {
    const { text } = await answer([{ role: "user", text: "When is high water?" }]);
    expect(text).toMatch(/^I cannot answer this\. No model is set\./);
    expect(text).toContain('`model: "anthropic/claude-sonnet-4-5"`');
    expect(text).toContain("`ANTHROPIC_API_KEY`");
    expect(text).toContain("Request: “When is high water?”");
  });

  it("the stand-in summarises the session after a handoff", async () => {
    const { text } = await answer([
      { role: "user", text: "When is high water?" },
      { role: "assistant", text: "", toolCalls: [{ id: "1", name: "look_up", input: {} }] },
      { role: "user", text: "And tomorrow?" },
      { role: "user", text: "This session was handed off.", internal: true },
    ]);
    expect(text).toMatch(/^This is where things stand/);
    expect(text).toContain("**Tide tables**");
    expect(text).toContain("3 messages, 1 tool call");
    expect(text).toContain("First request: “When is high water?”");
    expect(text).toContain("Last request: “And tomorrow?”");
    expect(text).toContain("Without a result: 1 tool call (`look_up`)");
    expect(text).not.toContain("handed off");
    expect(text).not.toContain("Model:");
  });

  it("the stand-in streams the same text that it ends with", async () => {
    const { events, text } = await answer([{ role: "user", text: "Hello" }]);
    const deltas = events.flatMap((event) => (event.type === "text" ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.join("")).toBe(text);
  });

  it("the stand-in says nothing once its signal has aborted", async () => {
    await expect(answer([{ role: "user", text: "Hello" }], AbortSignal.abort(new Error("stop")))).rejects.toThrow(
      "stop",
    );
  });
});
