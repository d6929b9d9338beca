import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import type { AgentRequest } from "../agent/agent.ts";
import { askModel } from "../agent/ask-model.ts";
import type { Protocol } from "../agent/provider-access.ts";
import { systemClock } from "../base/clock.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

interface WireMessage {
  readonly role: string;
  readonly content: string | readonly Block[] | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

/** One of Google's. */
interface Content {
  readonly role: string;
  readonly parts: readonly {
    readonly text?: string;
    readonly functionCall?: { readonly name: string };
    readonly functionResponse?: { readonly name: string };
  }[];
}

/** One of OpenAI's responses API. */
interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly call_id?: string;
}

interface Sent {
  readonly messages: readonly WireMessage[];
  readonly contents: readonly Content[];
  readonly input: readonly Item[];
}

let sent: Sent | null = null;

/** Keeps what is sent, and refuses it. */
const request = {
  baseURL: "http://127.0.0.1:9/v1",
  apiKey: "none",
  fetch: async (_: unknown, init?: RequestInit) => {
    sent = JSON.parse(String(init?.body));
    return new Response('{"error":{"message":"kept"}}', { status: 400 });
  },
};

type Provider = readonly [LanguageModel, Protocol, (sent: Sent) => void];

const PROVIDERS: readonly [Provider, ...Provider[]] = [
  [createAnthropic(request)("m"), "anthropic", checkAnthropic],
  [createOpenAI(request).chat("m"), "openai", checkOpenAi],
  [createOpenAICompatible({ name: "mine", ...request })("m"), "compatible", checkOpenAi],
  [createGoogle(request)("gemini-3-m"), "google", checkGoogle],
  [createOpenAI(request).responses("m"), "responses", checkResponses],
];

/** Checks what the provider with a number would be sent for a request, in its own wire format. */
export async function checkWire({ messages, tools, mayCall, signal }: AgentRequest, at: number): Promise<void> {
  const [model, protocol, check] = PROVIDERS[at % PROVIDERS.length] ?? PROVIDERS[0];
  const resolved = {
    model,
    provider: protocol,
    protocol,
    keySource: null,
    apiKey: null,
    takesMarks: protocol === "anthropic",
  };
  sent = null;
  const question = {
    clock: systemClock,
    name: "test/m",
    resolved,
    system: { stable: "You are Hermes.", changing: "It is late." },
    rows: messages,
    tools,
    mayCall,
    signal,
  };
  await askModel(question)
    .next()
    .catch(() => {});
  if (sent === null) throw new Error("nothing was sent");
  check(sent);
}

/** https://docs.anthropic.com/en/api/messages: roles alternate, and results stand right behind their calls. */
function checkAnthropic({ messages }: Sent): void {
  let open: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    assert.equal(role, at % 2 === 0 ? "user" : "assistant");
    const blocks = typeof content === "string" ? [{ type: "text", text: content } as Block] : (content ?? []);
    assert.ok(blocks.length > 0);
    for (const { type, text } of blocks) if (type === "text") assert.match(text ?? "", /\S/);
    const results = blocks.filter(({ type }) => type === "tool_result");
    assert.deepEqual(
      results.map((block) => block.tool_use_id),
      open,
    );
    assert.deepEqual(blocks.slice(0, results.length), results);
    open = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id ?? ""] : []));
    assert.equal(new Set(open).size, open.length);
  }
  assert.equal(messages.at(-1)?.role, "user");
}

/** https://platform.openai.com/docs/api-reference/chat: each call is answered before anybody else speaks. */
function checkOpenAi({ messages }: Sent): void {
  const spoken = messages.filter(({ role }) => role !== "system");
  assert.equal(spoken[0]?.role, "user");
  let open: string[] = [];
  for (const { role, content, tool_calls = [], tool_call_id } of spoken) {
    if (role === "tool") {
      assert.equal(tool_call_id, open.shift());
      continue;
    }
    assert.deepEqual(open, []);
    if (tool_calls.length === 0) assert.match(JSON.stringify(content), /\w/);
    for (const call of tool_calls) JSON.parse(call.function.arguments);
    open = tool_calls.map(({ id }) => id);
  }
  assert.deepEqual(open, []);
  assert.notEqual(spoken.at(-1)?.role, "assistant");
}

/** https://ai.google.dev/api/generate-content: roles alternate, and results stand right behind their calls, in order. */
function checkGoogle({ contents }: Sent): void {
  let open: (string | undefined)[] = [];
  for (const [at, { role, parts }] of contents.entries()) {
    assert.equal(role, at % 2 === 0 ? "user" : "model");
    assert.ok(parts.length > 0);
    for (const { text } of parts) if (text !== undefined) assert.match(text, /\S/);
    const results = parts.flatMap(({ functionResponse }) => functionResponse?.name ?? []);
    assert.deepEqual(results, open);
    open = parts.flatMap(({ functionCall }) => functionCall?.name ?? []);
  }
  assert.equal(contents.at(-1)?.role, "user");
}

/** https://platform.openai.com/docs/api-reference/responses: each call has its output before anybody speaks. */
function checkResponses({ input }: Sent): void {
  const open: (string | undefined)[] = [];
  const spoken = input.filter(({ role }) => role !== "system" && role !== "developer");
  assert.equal(spoken[0]?.role, "user");
  for (const { type, content, call_id } of spoken) {
    if (type === "function_call") open.push(call_id);
    else if (type === "function_call_output") assert.equal(call_id, open.shift());
    else {
      assert.deepEqual(open, []);
      assert.match(JSON.stringify(content), /\w/);
    }
  }
  assert.deepEqual(open, []);
  assert.notEqual(spoken.at(-1)?.role, "assistant");
}
