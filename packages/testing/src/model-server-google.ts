import type { ModelMessageReply, ModelReplyUsage } from "./model-server.ts";
import { googleFailure } from "./model-server-errors.ts";
import { calls, data, deltas, type Events } from "./model-server-pieces.ts";

/** Streams an answer like Google (Gemini API reference: "models.streamGenerateContent"). */
export function* googleEvents(reply: ModelMessageReply, modelVersion: string): Events {
  const chunk = (parts: readonly object[], more: object = {}) =>
    data({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }], modelVersion, responseId: "r1" });
  for (const [at, text] of deltas(reply).entries()) {
    yield chunk([{ text }]);
    if (at === 0) yield "hold";
  }
  if (!reply.say) yield "hold";
  for (const [at, { name, json }] of calls(reply).entries()) {
    // Of several calls, only the first one is signed.
    const signed = at === 0 && reply.thought ? { thoughtSignature: reply.thought } : {};
    yield chunk([{ functionCall: { name, args: JSON.parse(json) }, ...signed }]);
  }
  if (reply.fails) yield data(googleFailure(reply.fails));
  if (reply.breakOff || reply.fails) return;
  const signed = calls(reply).length === 0 && reply.thought ? [{ text: "", thoughtSignature: reply.thought }] : [];
  const finishReason = reply.refused ? "SAFETY" : reply.cutShort ? "MAX_TOKENS" : "STOP";
  const usageMetadata = counted(reply.usage ?? { input: 1, output: 2 });
  yield data({
    candidates: [{ content: { role: "model", parts: signed }, finishReason, index: 0 }],
    ...{ usageMetadata, modelVersion, responseId: "r1" },
  });
}

function counted({ input, cacheRead = 0, cacheWrite = 0, output }: ModelReplyUsage): object {
  const promptTokenCount = input + cacheRead + cacheWrite;
  const cached = cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {};
  return { promptTokenCount, ...cached, candidatesTokenCount: output, totalTokenCount: promptTokenCount + output };
}
