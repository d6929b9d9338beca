import { createModelServer, createVirtualClock, gate, type ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { AgentEvent } from "./agent.ts";
import { createAgent } from "./create-agent.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await createModelServer();
});
afterEach(() => server.close());

const session = { title: null, model: null, lastSurface: "terminal", workingDirectory: null } as unknown as Session;
const asked = { role: "user", text: "When is high water?", seq: 1, turnId: null } as unknown as TranscriptMessage;

/** What the agent yields besides text, until it ends or fails. `onText` is called when its first text has come. */
async function eventsOf(
  model: string | null,
  { signal = new AbortController().signal, onText = () => {} } = {},
): Promise<AgentEvent[]> {
  const environment = {
    ...{ OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.url },
    ...{ ANTHROPIC_API_KEY: "sk-test-0123456789", ANTHROPIC_BASE_URL: server.url },
  };
  const config = {
    ...{ model, instructions: null, modelTimeouts: { firstByteSeconds: 60, idleSeconds: 30 } },
    providers: { mine: { baseUrl: server.url } },
  };
  const agent = createAgent({ config, environment, clock: createVirtualClock() });
  const found: AgentEvent[] = [];
  try {
    for await (const event of agent.run({ session, messages: [asked], tools: [], mayCall: false, signal })) {
      if (event.type === "text") onText();
      else found.push(event);
    }
  } catch {}
  return found;
}

const MODELS = [["openai/test-model"], ["anthropic/claude-test"], ["mine/some/model:7b"]];

describe.each(MODELS)("with %s", (model) => {
  it("a message says what its provider counted, and which model answered", async () => {
    server.push({ say: "At noon.", usage: { input: 100, cacheRead: 40, cacheWrite: 7, output: 9 } });
    const [message] = await eventsOf(model);
    // Servers that speak OpenAI's protocol do not tell what they write to their cache.
    const cacheWrite = model.startsWith("mine/") ? 0 : 7;
    const usage = { input: 107 - cacheWrite, cacheRead: 40, cacheWrite, output: 9 };
    expect(message).toMatchObject({ type: "message", model, usage });
  });

  it("the tokens of an answer that stays empty are spent", async () => {
    server.push({ say: "", usage: { input: 100, output: 30 } });
    const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 30 };
    expect(await eventsOf(model)).toEqual([{ type: "spent", model, usage, written: "" }]);
  });

  it("an answer that breaks off has spent what was written of it", async () => {
    const arrives = gate();
    server.push({ say: "High water is", hold: arrives, breakOff: true });
    const events = await eventsOf(model, { onText: arrives.open });
    expect(events).toMatchObject([{ type: "spent", model, written: expect.stringContaining("High ") }]);
  });

  it("an answer that is stopped has spent what was written of it", async () => {
    const stop = new AbortController();
    server.push({ say: "High water is at noon.", hold: gate() });
    const events = await eventsOf(model, { signal: stop.signal, onText: () => stop.abort() });
    expect(events).toMatchObject([{ type: "spent", model, written: "High " }]);
  });

  it("a request that is refused spends nothing", async () => {
    server.push({ status: 401, message: "no such key" });
    expect(await eventsOf(model)).toEqual([]);
  });
});

it("a server that knows no stream_options is asked without them", async () => {
  server.push({ status: 400, message: "Unrecognized request argument supplied: stream_options" }, "At noon.");
  expect(await eventsOf("mine/old")).toMatchObject([{ type: "message", text: "At noon.", usage: undefined }]);
  expect(server.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false]);
});

it("nothing is to be paid for where no model is set", async () => {
  expect(await eventsOf(null)).toMatchObject([{ type: "message", usage: null }]);
});
