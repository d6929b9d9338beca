import type { AgentEvent, AgentRequest, TranscriptMessage } from "@hermes/core/embed";
import { OPERATOR, type Session, type SessionId } from "@hermes/core/embed";
import { describe, expect, it } from "vitest";
import { gate } from "./gate.ts";
import { scriptedModel } from "./scripted-model.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const SESSION: Session = {
  id: "ses_1" as SessionId,
  title: null,
  user: OPERATOR,
  origin: "terminal",
  originChat: null,
  model: null,
  workingDirectory: null,
  mode: "default",
  lastSurface: "terminal",
  unmarkedUntil: 0,
  messageCount: 0,
  toolCallCount: 0,
  createdAt: 0,
  updatedAt: 0,
};

function request(extra: Partial<AgentRequest> = {}): AgentRequest {
  return { session: SESSION, messages: [], tools: [], mayCall: true, signal: new AbortController().signal, ...extra };
}

async function collect(events: AsyncIterable<AgentEvent>, into: AgentEvent[] = []): Promise<AgentEvent[]> {
  for await (const event of events) into.push(event);
  return into;
}

describe("a scripted model", () => {
  it("a scripted model gives one answer a turn, in deltas, and records requests", async () => {
    const model = scriptedModel(["Hello there.", () => "Again."]);
    const asked = request();
    expect(await collect(model.run(asked))).toEqual([
      { type: "text", delta: "Hello " },
      { type: "text", delta: "there." },
      { type: "message", text: "Hello there.", calls: [] },
    ]);
    expect((await collect(model.run(request()))).at(-1)).toEqual({ type: "message", text: "Again.", calls: [] });
    await expect(collect(model.run(request()))).rejects.toThrow("no answer for turn 3");
    expect(model.requests[0]).toBe(asked);
  });

  it("goes on with its answer when it is asked with the results of its calls", async () => {
    const model = scriptedModel([
      [{ say: "Looking. " }, { call: [{ name: "add", input: 2 }, { name: "gone" }] }, { say: "Done." }],
      "Next.",
    ]);
    const calling = await collect(model.run(request()));
    expect(calling.at(-1)).toMatchObject({
      type: "message",
      text: "Looking. ",
      calls: [{ call: { id: "call_1", name: "add" } }, { call: { id: "call_2", name: "gone" } }],
    });
    const result: TranscriptMessage = {
      ...{ sessionId: SESSION.id, seq: 1, turnId: null, createdAt: 0 },
      ...{ role: "tool", text: "2!", toolCallId: "call_1" },
    };
    const answering = await collect(model.run(request({ messages: [result] })));
    expect(answering.at(-1)).toEqual({ type: "message", text: "Done.", calls: [] });
    expect((await collect(model.run(request({ messages: [result] })))).at(-1)).toMatchObject({ text: "Next." });
    expect(model.requests).toHaveLength(2);
  });

  it("stands still at a gate, and for a time of the clock", async () => {
    const clock = createVirtualClock();
    const held = gate();
    const model = scriptedModel([[{ say: "One " }, { hold: held }, { wait: 1000 }, { say: "two." }]], { clock });
    const events: AgentEvent[] = [];
    const done = collect(model.run(request()), events);
    await held.reached;
    expect(events).toEqual([{ type: "text", delta: "One " }]);
    held.open();
    await clock.advance(999);
    expect(events).toHaveLength(1);
    await clock.advance(1);
    await done;
    expect(events.at(-1)).toEqual({ type: "message", text: "One two.", calls: [] });
  });

  it("fails a turn as written, and ends one that is stopped at a gate", async () => {
    const held = gate();
    const model = scriptedModel([[{ say: "One" }, { fail: new Error("broken") }], [{ hold: held }]]);
    await expect(collect(model.run(request()))).rejects.toThrow("broken");
    const stop = new AbortController();
    const done = collect(model.run(request({ signal: stop.signal })));
    await held.reached;
    stop.abort(new Error("stopped"));
    await expect(done).rejects.toThrow("stopped");
  });
});
