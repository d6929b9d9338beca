import {
  createModelServer,
  createVirtualClock,
  gate,
  type ModelReply,
  type ModelServer,
  type VirtualClock,
} from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HermesError } from "../base/errors.ts";
import type { Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { createAgent } from "./create-agent.ts";

const KEY = "sk-test-0123456789abcdefghij";

let clock: VirtualClock;
let server: ModelServer;
beforeEach(async () => {
  clock = createVirtualClock();
  server = await createModelServer();
});
afterEach(() => server.close());

const session = { title: null, model: null, lastSurface: "terminal", workingDirectory: null } as unknown as Session;
const asked = { role: "user", text: "When is high water?", seq: 1, turnId: null } as unknown as TranscriptMessage;

interface Outcome {
  readonly text: string;
  readonly waits: readonly string[];
  readonly error: HermesError | null;
}

/** Asks a model, and turns the clock by what the agent waits for. */
async function ask(model: string, onText = () => {}): Promise<Outcome> {
  const bare = server.url.replace("/v1", "");
  const environment = {
    ...{ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: server.url, GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: bare },
    ...{ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: bare },
  };
  const config = {
    ...{ model, instructions: null, modelTimeouts: { firstByteSeconds: 60, idleSeconds: 30 } },
    providers: {
      mine: { baseUrl: server.url, apiKey: KEY },
      sealed: { baseUrl: server.url, apiKey: KEY, protocol: "responses" as const },
    },
  };
  const agent = createAgent({ config, environment, clock });
  const { signal } = new AbortController();
  const waits: string[] = [];
  let text = "";
  try {
    for await (const event of agent.run({ session, messages: [asked], tools: [], mayCall: false, signal })) {
      if (event.type === "text") {
        text += event.delta;
        onText();
      }
      if (event.type !== "waiting") continue;
      waits.push(`${event.reason} (${event.waitMs / 1_000} s)`);
      setImmediate(() => void clock.advance(event.waitMs));
    }
    return { text, waits, error: null };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    return { text, waits, error };
  }
}

/** What a person can do about it, by the code of what they read. */
const NEXT_STEPS: Readonly<Record<string, RegExp>> = {
  AGENT_KEY_REFUSED: /Check the key/,
  AGENT_MODEL_GONE: /hermes models \w+/,
  AGENT_LIMITED: /later.*\/model/,
  AGENT_OVERLOADED: /later.*\/model/,
  AGENT_UNREACHABLE: /network/,
  AGENT_CONTEXT_FULL: /\//,
  AGENT_REFUSED: /other words/,
  AGENT_STALLED: /\/retry.*modelTimeouts/,
  AGENT_FAILED: /\/retry/,
};

const MODELS = [
  ["anthropic", "anthropic/claude-test"],
  ["openai", "openai/gpt-test"],
  ["responses", "sealed/gpt-test"],
  ["google", "google/gemini-test"],
  ["compatible", "mine/some/model:7b"],
] as const;

type Protocol = (typeof MODELS)[number][0];

/** A fault in the words of each provider; `any` for all others. */
interface Fault {
  readonly replies: Partial<Record<Protocol | "any", ModelReply>>;
  /** Null: the answer comes after all. */
  readonly code: string | null;
  readonly says?: string | RegExp;
  /** How often it happens. */
  readonly times?: number;
  readonly waits?: readonly string[];
}

const soon = { "retry-after-ms": "1" };
const FAULTS: Readonly<Record<string, Fault>> = {
  "a key that is refused": {
    replies: {
      anthropic: { status: 401, message: "invalid x-api-key" },
      google: { status: 400, message: "API key not valid. Please pass a valid API key." },
      any: { status: 401, message: `Incorrect API key provided: ${KEY}. You can find your API key elsewhere.` },
    },
    code: "AGENT_KEY_REFUSED",
    says: /does not accept the key in (\w+_API_KEY|providers\.\w+\.apiKey)/,
  },
  "a model that is gone": {
    replies: {
      anthropic: { status: 404, message: "model: claude-test" },
      google: { status: 404, message: "models/gemini-test is not found for API version v1beta" },
      compatible: { status: 404, message: 'model "some/model:7b" not found, try pulling it first' },
      any: { status: 404, message: "The model `gpt-test` does not exist or you do not have access to it." },
    },
    code: "AGENT_MODEL_GONE",
    says: /has no model (claude-test|gpt-test|gemini-test|some\/model:7b)/,
  },
  "a rate limit that ends": {
    replies: { any: { status: 429, message: "Slow down", headers: { "retry-after": "12" } } },
    ...{ code: null, times: 1, waits: ["the provider asks to wait (12 s)"] },
  },
  "a rate limit that stays": {
    replies: { any: { status: 429, message: "Slow down", headers: { "retry-after": "12" } } },
    ...{ code: "AGENT_LIMITED", times: 3, says: "HTTP 429: Slow down" },
    waits: ["the provider asks to wait (12 s)", "the provider asks to wait (12 s)"],
  },
  "an account without credit": {
    replies: {
      anthropic: { status: 400, message: "Your credit balance is too low to access the API." },
      any: { status: 429, message: "You exceeded your current quota.", type: "insufficient_quota" },
    },
    ...{ code: "AGENT_LIMITED", waits: [] },
  },
  "a server that is out of order": {
    replies: { any: { status: 500, message: "Internal server error", headers: soon } },
    ...{ code: "AGENT_OVERLOADED", times: 3, says: "HTTP 500" },
  },
  "a server that is overloaded": {
    replies: {
      anthropic: { status: 529, message: "Overloaded", headers: soon },
      any: { status: 503, message: "The model is overloaded. Please try again later.", headers: soon },
    },
    ...{ code: "AGENT_OVERLOADED", times: 3 },
  },
  "a server that is overloaded when the answer begins": {
    replies: {
      anthropic: { fails: { status: 529, message: "Overloaded" } },
      google: { fails: { status: 503, message: "The model is overloaded." } },
      any: { fails: { status: 503, message: "The server had an error.", type: "server_error" } },
    },
    ...{ code: "AGENT_OVERLOADED", times: 3 },
  },
  "a context that is too long": {
    replies: {
      anthropic: { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" },
      openai: {
        status: 400,
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      },
      responses: { status: 400, message: "Your input exceeds the context window of this model. Please adjust it." },
      google: {
        status: 400,
        message: "The input token count (1048580) exceeds the maximum number of tokens allowed (1048576).",
      },
      compatible: {
        status: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size",
      },
    },
    code: "AGENT_CONTEXT_FULL",
  },
  "a request that is too large": {
    replies: { any: { status: 413, message: "Request exceeds the maximum size" } },
    code: "AGENT_CONTEXT_FULL",
  },
  "an answer that is held back": { replies: { any: { refused: true } }, code: "AGENT_REFUSED" },
  "an answer that is empty": { replies: { any: "" }, code: "AGENT_FAILED", says: "its answer was empty" },
  "a request that is not understood": {
    replies: { any: { status: 400, message: "tools: Input should be a valid list" } },
    ...{ code: "AGENT_FAILED", says: "HTTP 400: tools: Input should be a valid list" },
  },
};

describe.each(MODELS)("a provider that speaks as %s does", (protocol, model) => {
  it.each(Object.entries(FAULTS))("%s: what a person reads, and what they can do", async (_, fault) => {
    const { replies, code, says = "", times = 1, waits } = fault;
    const reply = replies[protocol] ?? replies.any;
    if (reply === undefined) throw new Error("no such fault");
    for (let time = 0; time < times; time++) server.push(reply);
    if (code === null) server.push("At noon.");
    const outcome = await ask(model);
    if (code === null) expect(outcome).toMatchObject({ text: "At noon.", error: null });
    else {
      expect(outcome).toMatchObject({ text: "", error: { code } });
      expect(outcome.error?.message).toMatch(says);
      expect(outcome.error?.hint).toMatch(NEXT_STEPS[code] ?? /^$/);
    }
    if (waits !== undefined) expect(outcome.waits).toEqual(waits);
    expect(server.requests).toHaveLength(code === null ? times + 1 : times);
    const { error } = outcome;
    expect(JSON.stringify([error, error?.message, error?.stack, error?.cause])).not.toContain(KEY);
  });

  it("a server that sends nothing is given up after the time of the config", async () => {
    const late = gate();
    server.push({ say: "Here.", late });
    const outcome = ask(model);
    await late.reached;
    await clock.advance(60_000);
    expect((await outcome).error).toMatchObject({
      code: "AGENT_STALLED",
      hint: expect.stringMatching(/modelTimeouts/),
    });
  });

  it("a server that falls silent is given up, and what it said stays", async () => {
    const hold = gate();
    server.push({ say: "One two", hold });
    const outcome = ask(model);
    await hold.reached;
    // The time begins when the first words have arrived.
    const timer = setInterval(() => void clock.advance(10_000), 5);
    expect(await outcome).toMatchObject({ text: "One ", error: { code: "AGENT_STALLED" } });
    clearInterval(timer);
  });

  it("a connection that breaks off in the middle of an answer is told", async () => {
    const hold = gate();
    server.push({ say: "One two", hold, breakOff: true });
    const { error } = await ask(model, hold.open);
    expect(error?.code).toBe("AGENT_UNREACHABLE");
    expect(error?.message).toMatch(/broke off/);
  });

  it("an error in the middle of an answer is told, and what was said stays", async () => {
    server.push({
      say: "One two",
      fails: { status: 503, message: "Overloaded", type: protocol === "google" ? "UNAVAILABLE" : "overloaded_error" },
    });
    expect(await ask(model)).toMatchObject({ text: "One two", error: { code: "AGENT_OVERLOADED" } });
  });

  it.each([301, 307, 308])("an answer %i sends neither key nor conversation to another server", async (status) => {
    await using elsewhere = await createModelServer([], { otherwise: "Thank you." });
    server.push({ status, message: "Moved", headers: { location: `${elsewhere.url}/${KEY}` } });
    const { error, waits } = await ask(model);
    expect(elsewhere.requests).toEqual([]);
    expect(waits).toEqual([]);
    expect(error).toMatchObject({
      code: "AGENT_REDIRECTED",
      message: expect.stringContaining(`redirects to ${new URL(elsewhere.url).origin} (HTTP ${status})`),
      hint: expect.stringMatching(/Correct its address.*config/),
    });
    expect(error?.message).not.toContain(KEY);
  });

  it("a server that nobody has started is named by its address", async () => {
    await server.close();
    const { error } = await ask(model);
    expect(error).toMatchObject({
      code: "AGENT_UNREACHABLE",
      message: expect.stringContaining("nobody listens at http"),
    });
  });
});
