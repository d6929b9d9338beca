import type { Agent, AgentEvent, Tool } from "../agent/agent.ts";
import type { Session } from "../model/session.ts";
import type { ToolCall, TranscriptMessage } from "../model/transcript.ts";
import type { TurnId } from "../model/turn.ts";
import { failedCall, runTool, type ToolEnded } from "./run-tool.ts";

/** How often the agent is asked within one turn; the last time it may only speak. */
const STEP_LIMIT = 40;

export interface AgentQuestion {
  readonly session: Session;
  readonly turnId: TurnId;
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** The transcript as it stands, with what this turn has added to it. */
  transcript(): Promise<readonly TranscriptMessage[]>;
}

export type StepEvent =
  | Exclude<AgentEvent, { readonly type: "message" }>
  /** One assistant message is whole, and the tools that it calls run next. */
  | { readonly type: "step"; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | ToolEnded
  /** The last assistant message, whole. */
  | { readonly type: "finish"; readonly text: string };

/**
 * Asks an agent for one message after the other, and runs the tools that it calls, until it answers. Each event is to be
 * stored before the next is asked for: so a call is stored before its tool runs, and the agent is asked on from what is
 * stored. Rejects as the agent does.
 */
export async function* askAgent(agent: Agent, question: AgentQuestion): AsyncGenerator<StepEvent, void> {
  const { session, turnId, tools, signal, transcript } = question;
  const where = { session, directory: session.workingDirectory, signal };
  for (;;) {
    const messages = await transcript();
    const steps = messages.filter((message) => message.turnId === turnId && (message.toolCalls?.length ?? 0) > 0);
    const mayCall = tools.length > 0 && steps.length < STEP_LIMIT - 1;
    let said: Pick<Extract<AgentEvent, { type: "message" }>, "text" | "calls"> = { text: "", calls: [] };
    for await (const event of agent.run({ session, messages, tools, mayCall, signal })) {
      if (event.type === "message") said = event;
      else yield event;
    }
    if (said.calls.length === 0) {
      yield { type: "finish", text: said.text };
      return;
    }
    const taken = new Set(steps.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
    const calls = said.calls.map(({ call, problem }) => ({ call: withOwnId(call, taken), problem }));
    yield { type: "step", text: said.text, toolCalls: calls.map(({ call }) => call) };
    for (const { call, problem } of calls) {
      yield problem === null ? await runTool(call, tools, where) : failedCall(call, problem);
    }
  }
}

/** Ids of calls are unique within a turn, which not every server sees to. */
function withOwnId(call: ToolCall, taken: Set<string>): ToolCall {
  let id = call.id || "call";
  for (let n = 2; taken.has(id); n++) id = `${call.id || "call"}-${n}`;
  taken.add(id);
  return { ...call, id };
}
