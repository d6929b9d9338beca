import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { Session } from "../model/session.ts";
import type { ToolCall } from "../model/transcript.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";
import { type AssistantReply, askModel } from "./ask-model.ts";
import type { HistoryRow } from "./message-history.ts";
import { toAgentError } from "./model-error.ts";
import { type ProviderSettings, type ResolvedModel, resolveModel } from "./model-provider.ts";
import { failedCall, runTool } from "./run-tool.ts";
import { systemPrompt } from "./system-prompt.ts";

/** How often a model is asked within one turn; the last time it may only speak. */
const STEP_LIMIT = 40;

export interface AiSdkAgentOptions extends ProviderSettings {
  readonly instructions: string | null;
  readonly clock: Clock;
  /** `<provider>/<model>` for a session. */
  modelOf(session: Session): string;
}

/**
 * An agent that speaks to a model. It asks for one assistant message at a time and runs the tools itself, so that a call
 * is stored before its tool runs. Fails with the AGENT_… errors; a turn that is stopped rejects with the signal's reason.
 */
export function createAiSdkAgent(options: AiSdkAgentOptions): Agent {
  const { modelOf } = options;
  return {
    modelOf,
    async *run(request) {
      const name = modelOf(request.session);
      const resolved = await resolveModel(name, options);
      try {
        yield* converse(request, resolved, options);
      } catch (error) {
        request.signal.throwIfAborted();
        throw toAgentError(error, name, resolved);
      }
    },
  };
}

async function* converse(
  request: AgentRequest,
  resolved: ResolvedModel,
  { instructions, clock }: AiSdkAgentOptions,
): AsyncGenerator<AgentEvent, void> {
  const rows: HistoryRow[] = [...request.messages];
  const system = systemPrompt(request.session, { instructions, now: clock.now() });
  const taken = new Set<string>();
  for (let step = 1; ; step++) {
    const mayCall = request.tools.length > 0 && step < STEP_LIMIT;
    const reply = yield* askModel({ resolved, system, rows, tools: request.tools, mayCall, signal: request.signal });
    if (!mayCall || reply.calls.length === 0) {
      yield { type: "finish", text: finalText(reply) };
      return;
    }
    const calls = reply.calls.map(({ call, problem }) => ({ call: withOwnId(call, taken), problem }));
    const toolCalls = calls.map(({ call }) => call);
    yield { type: "step", text: reply.text, toolCalls };
    rows.push({ role: "assistant", text: reply.text, toolCalls });
    for (const { call, problem } of calls) {
      const result = problem === null ? await runTool(call, request) : failedCall(call, problem);
      yield result;
      rows.push({ role: "tool", text: result.text, toolCallId: call.id });
    }
  }
}

function finalText({ text, calls, finishReason }: AssistantReply): string {
  if (text.trim() !== "") return text;
  const why =
    finishReason === "content-filter"
      ? "its provider held the answer back"
      : calls.length > 0
        ? "it called a tool where it was to answer"
        : `its answer was empty${finishReason === "" ? "" : ` (${finishReason})`}`;
  throw new HermesError("AGENT_FAILED", { reason: why });
}

/** Ids of calls are unique within a turn, which not every server sees to. */
function withOwnId(call: ToolCall, taken: Set<string>): ToolCall {
  let id = call.id || "call";
  for (let n = 2; taken.has(id); n++) id = `${call.id || "call"}-${n}`;
  taken.add(id);
  return { ...call, id };
}
