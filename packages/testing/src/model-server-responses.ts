import type { ModelMessageReply, ModelReplyUsage } from "./model-server.ts";
import { calls, data, deltas, type Events, halves } from "./model-server-pieces.ts";

/** Streams a response like OpenAI (API reference: "Responses, Streaming events"). */
export function* responsesEvents(reply: ModelMessageReply, model: string): Events {
  const event = (type: string, fields: object) => `event: ${type}\n${data({ type, ...fields })}`;
  const response = { id: "resp_1", object: "response", created_at: 1, model };
  let output_index = 0;
  yield event("response.created", { response: { ...response, status: "in_progress" } });
  if (reply.thought) {
    const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: reply.thought };
    yield event("response.output_item.added", { output_index, item });
    yield event("response.output_item.done", { output_index: output_index++, item });
  }
  if (!reply.say) yield "hold";
  if (reply.say) {
    const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
    yield event("response.output_item.added", { output_index, item });
    for (const [at, delta] of deltas(reply).entries()) {
      yield event("response.output_text.delta", { item_id: item.id, output_index, content_index: 0, delta });
      if (at === 0) yield "hold";
    }
    if (!reply.breakOff) yield event("response.output_item.done", { output_index: output_index++, item });
  }
  for (const { id, name, json } of calls(reply)) {
    const item = { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: "" };
    yield event("response.output_item.added", { output_index, item });
    for (const delta of halves(json)) {
      yield event("response.function_call_arguments.delta", { item_id: item.id, output_index, delta });
    }
    yield event("response.function_call_arguments.done", { item_id: item.id, output_index, arguments: json });
    const whole = { ...item, arguments: json, status: "completed" };
    yield event("response.output_item.done", { output_index: output_index++, item: whole });
  }
  if (reply.fails) {
    const { type: code = "server_error", message } = reply.fails;
    yield event("response.failed", { response: { ...response, status: "failed", error: { code, message } } });
  }
  if (reply.breakOff || reply.fails) return;
  const usage = counted(reply.usage ?? { input: 1, output: 2 });
  const reason = reply.refused ? "content_filter" : reply.cutShort ? "max_output_tokens" : null;
  if (reason === null) yield event("response.completed", { response: { ...response, status: "completed", usage } });
  else {
    const incomplete = { ...response, status: "incomplete", incomplete_details: { reason }, usage };
    yield event("response.incomplete", { response: incomplete });
  }
}

function counted({ input, cacheRead = 0, cacheWrite = 0, output }: ModelReplyUsage): object {
  const input_tokens = input + cacheRead + cacheWrite;
  const input_tokens_details = { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) };
  return { input_tokens, input_tokens_details, output_tokens: output, total_tokens: input_tokens + output };
}
