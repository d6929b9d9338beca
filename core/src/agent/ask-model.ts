import type { ToolSet } from "ai";
import { reasonOf } from "../base/errors.ts";
import type { AgentEvent, AgentRequest, RequestedCall } from "./agent.ts";
import { type HistoryRow, safeToolName, toModelMessages } from "./message-history.ts";
import type { ResolvedModel } from "./model-provider.ts";

/** How often a request that failed before it was answered is sent again. */
const RETRIES = 2;

const CUT_OFF = "\n\n[cut off: the model has reached the length of its longest answer]";

/** One assistant message, as it came. */
export interface AssistantReply {
  text: string;
  readonly calls: RequestedCall[];
  /** As the SDK has it; empty when the provider gave none. */
  finishReason: string;
}

export interface ModelQuestion extends Pick<AgentRequest, "tools" | "mayCall" | "signal"> {
  readonly resolved: ResolvedModel;
  readonly system: string;
  readonly rows: readonly HistoryRow[];
}

/** Asks for one assistant message; yields its text as it comes. Rejects with whatever the SDK has, or the signal's reason. */
export async function* askModel(question: ModelQuestion): AsyncGenerator<AgentEvent, AssistantReply> {
  const { resolved, rows, signal } = question;
  const mayCall = question.mayCall && question.tools.length > 0;
  const { streamText } = await import("ai");
  // The SDK would write its advice across the terminal.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const tools = await toolsFor(question);
  const left = new AbortController();
  const stream = streamText({
    model: resolved.model,
    instructions: question.system,
    messages: toModelMessages(rows),
    ...(Object.keys(tools).length > 0 ? { tools, toolChoice: mayCall ? "auto" : "none" } : {}),
    maxRetries: RETRIES,
    abortSignal: AbortSignal.any([signal, left.signal]),
    onError() {},
  });
  const reply: AssistantReply = { text: "", calls: [], finishReason: "" };
  try {
    for await (const part of stream.stream) {
      signal.throwIfAborted();
      switch (part.type) {
        case "text-delta":
          reply.text += part.text;
          if (part.text !== "") yield { type: "text", delta: part.text };
          break;
        case "tool-call": {
          const call = { id: part.toolCallId, name: part.toolName, input: part.input };
          const problem = "invalid" in part && part.invalid ? reasonOf(part.error) : null;
          reply.calls.push({ call, problem });
          break;
        }
        case "finish-step":
          reply.finishReason = part.finishReason;
          break;
        case "error":
          throw part.error;
      }
    }
    signal.throwIfAborted();
    if (reply.finishReason === "length" && reply.calls.length === 0 && reply.text.trim() !== "") {
      reply.text += CUT_OFF;
      yield { type: "text", delta: CUT_OFF };
    }
    return reply;
  } finally {
    // Whoever stops reading also hangs up.
    left.abort();
  }
}

/** The tools that are named to the provider, which is not always those that may be called. */
async function toolsFor({ mayCall, resolved, rows, tools }: ModelQuestion): Promise<ToolSet> {
  const { jsonSchema, tool } = await import("ai");
  // Anthropic refuses a history with calls where no tool is named; others call whatever is named, wanted or not.
  const needsTools = resolved.provider === "anthropic";
  const named: ToolSet = {};
  for (const { name, description, input } of mayCall || needsTools ? tools : []) {
    const inputSchema = jsonSchema(input["~standard"].jsonSchema.input({ target: "draft-07" }));
    named[name] = tool({ description, inputSchema });
  }
  if (needsTools && tools.length === 0) {
    for (const name of calledIn(rows)) named[name] = tool({ inputSchema: jsonSchema({ type: "object" }) });
  }
  return named;
}

/** The names of all tools that were called so far, as the model's history has them. */
function calledIn(rows: readonly HistoryRow[]): Set<string> {
  return new Set(rows.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => safeToolName(name))));
}
