import type { ModelMessageReply, ModelReplyUsage } from "./model-server.ts";
import { anthropicFailure, openAiFailure } from "./model-server-errors.ts";
import { calls, data, deltas, type Events, halves } from "./model-server-pieces.ts";

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
  if (reply.fails) yield data(openAiFailure(reply.fails));
  if (reply.breakOff || reply.fails) return;
  const done = calls(reply).length > 0 ? "tool_calls" : "stop";
  yield chunk({}, reply.refused ? "content_filter" : reply.cutShort ? "length" : done);
  if (reply.usage)
    yield data({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, ...counted(reply.usage) });
  yield "data: [DONE]\n\n";
}

/** Streams a message like Anthropic (API reference: "Streaming Messages"). */
export function* anthropicEvents(reply: ModelMessageReply, model: string): Events {
  const event = (type: string, fields: object = {}) => `event: ${type}\n${data({ type, ...fields })}`;
  if (reply.fails && !reply.say) return yield event("error", anthropicFailure(reply.fails));
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
  if (reply.thought) {
    const pieces = [
      { type: "thinking_delta", thinking: "Hm." },
      { type: "signature_delta", signature: reply.thought },
    ];
    yield* block({ type: "thinking", thinking: "", signature: "" }, pieces);
  }
  const text = deltas(reply).map((delta) => ({ type: "text_delta", text: delta }));
  if (text.length > 0) yield* block({ type: "text", text: "" }, text);
  for (const { id, name, json } of calls(reply)) {
    const pieces = halves(json).map((part) => ({ type: "input_json_delta", partial_json: part }));
    yield* block({ type: "tool_use", id, name, input: {} }, pieces);
  }
  if (reply.fails) yield event("error", anthropicFailure(reply.fails));
  if (reply.breakOff || reply.fails) return;
  const done = calls(reply).length > 0 ? "tool_use" : "end_turn";
  const reason = reply.refused ? "refusal" : reply.cutShort ? "max_tokens" : done;
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
