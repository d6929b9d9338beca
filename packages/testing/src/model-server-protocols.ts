import type { ModelFailureReply, ModelMessageReply, ModelReplyUsage } from "./model-server.ts";

/** Server-sent events as sent over the wire; `hold` marks where a reply may pause. */
type Events = Generator<string | "hold">;

/** Streams a chat completion like OpenAI (API reference: "Chat Completions, Streaming"). */
export function* openAiEvents(reply: ModelMessageReply, model: string): Events {
  const chunk = (delta: object, finish: string | null = null) =>
    data({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  yield chunk({ role: "assistant", content: "" });
  for (const [at, content] of deltas(reply).entries()) {
    yield chunk({ content });
    if (at === 0) yield "hold";
  }
  if (!reply.say) yield "hold";
  for (const [index, call] of calls(reply).entries()) {
    const { id, name, json } = call;
    yield chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    for (const part of halves(json)) yield chunk({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  if (reply.breakOff) return;
  yield chunk({}, reply.cutShort ? "length" : calls(reply).length > 0 ? "tool_calls" : "stop");
  if (reply.usage)
    yield data({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, ...counted(reply.usage) });
  yield "data: [DONE]\n\n";
}

/** Streams a message like Anthropic (API reference: "Streaming Messages"). */
export function* anthropicEvents(reply: ModelMessageReply, model: string): Events {
  const event = (type: string, fields: object = {}) => `event: ${type}\n${data({ type, ...fields })}`;
  yield event("message_start", {
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: reply.usage?.input ?? 1,
        cache_read_input_tokens: reply.usage?.cacheRead ?? 0,
        cache_creation_input_tokens: reply.usage?.cacheWrite ?? 0,
        output_tokens: 1,
      },
    },
  });
  let index = 0;
  const block = function* (start: object, pieces: readonly object[]): Events {
    yield event("content_block_start", { index, content_block: start });
    for (const [at, delta] of pieces.entries()) {
      yield event("content_block_delta", { index, delta });
      if (at === 0 && index === 0) yield "hold";
    }
    yield event("content_block_stop", { index: index++ });
  };
  const text = deltas(reply).map((delta) => ({ type: "text_delta", text: delta }));
  if (text.length > 0) yield* block({ type: "text", text: "" }, text);
  for (const { id, name, json } of calls(reply)) {
    const pieces = halves(json).map((part) => ({ type: "input_json_delta", partial_json: part }));
    yield* block({ type: "tool_use", id, name, input: {} }, pieces);
  }
  if (reply.breakOff) return;
  const reason = reply.cutShort ? "max_tokens" : calls(reply).length > 0 ? "tool_use" : "end_turn";
  const usage = { output_tokens: reply.usage?.output ?? 2 };
  yield event("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage });
  yield event("message_stop");
}

function counted({ input, cacheRead = 0, cacheWrite = 0, output }: ModelReplyUsage): object {
  const prompt_tokens = input + cacheRead + cacheWrite;
  const prompt_tokens_details = { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) };
  const usage = {
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    prompt_tokens_details,
  };
  return { choices: [], usage };
}

export function openAiFailure({ message, status }: ModelFailureReply): object {
  const code = /maximum context/.test(message) ? "context_length_exceeded" : null;
  return { error: { message, type: status === 401 ? "invalid_api_key" : "error", param: null, code } };
}

export function anthropicFailure({ message, status }: ModelFailureReply): object {
  const types: Readonly<Record<number, string>> = { 401: "authentication_error", 429: "rate_limit_error" };
  return { type: "error", error: { type: types[status] ?? "invalid_request_error", message } };
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function deltas({ say = "" }: ModelMessageReply): string[] {
  return say.match(/\S+\s*|\s+/g) ?? [];
}

function calls({ call = [] }: ModelMessageReply): { id: string; name: string; json: string }[] {
  return call.map(({ id, name, input = {} }, at) => ({
    id: id ?? `call_${at + 1}`,
    name,
    json: typeof input === "string" ? input : JSON.stringify(input),
  }));
}

/** Splits the input of a call into pieces that are not JSON by themselves. */
function halves(json: string): string[] {
  const middle = Math.ceil(json.length / 2);
  return [json.slice(0, middle), json.slice(middle)];
}
