import { untilAborted } from "../base/deadline.ts";
import { reasonOf } from "../base/errors.ts";
import type { ToolCall } from "../model/transcript.ts";
import type { AgentEvent, AgentRequest } from "./agent.ts";

type ToolResult = Extract<AgentEvent, { type: "tool-result" }>;

/**
 * Runs the tool that `call` names; whatever goes wrong in it is told to the model. Rejects only when the signal aborts,
 * and then at once, also where the tool pays no heed to it.
 */
export async function runTool(call: ToolCall, request: Omit<AgentRequest, "messages">): Promise<ToolResult> {
  const { tools, session, signal } = request;
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) return failedCall(call, `There is no tool called ${call.name}.`);
  signal.throwIfAborted();
  try {
    const text = await untilAborted(tool.execute(call.input, { session, signal }), signal);
    return { type: "tool-result", call, text, isError: false };
  } catch (error) {
    signal.throwIfAborted();
    return failedCall(call, reasonOf(error));
  }
}

/** What the model is told of a call that came to nothing. */
export function failedCall(call: ToolCall, reason: string): ToolResult {
  return { type: "tool-result", call, text: `Error: ${reason}`, isError: true };
}
