import type { Tool } from "../agent/agent.ts";
import { untilAborted } from "../base/deadline.ts";
import { reasonOf } from "../base/errors.ts";
import type { Session } from "../model/session.ts";
import type { ToolCall } from "../model/transcript.ts";

export interface ToolResult {
  readonly type: "tool-result";
  readonly call: ToolCall;
  readonly text: string;
  readonly isError: boolean;
}

/**
 * Runs the tool that `call` names; whatever goes wrong in it is told to the model. Rejects only when the signal aborts,
 * and then at once, also where the tool pays no heed to it.
 */
export async function runTool(
  call: ToolCall,
  {
    tools,
    session,
    signal,
  }: { readonly tools: readonly Tool[]; readonly session: Session; readonly signal: AbortSignal },
): Promise<ToolResult> {
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
