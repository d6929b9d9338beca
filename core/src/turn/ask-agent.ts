import type { Agent, AgentEvent, RequestedCall, Tool } from "../agent/agent.ts";
import { openToolCalls } from "../model/call-results.ts";
import type { Session } from "../model/session.ts";
import { TOOL_INTERRUPTED, type ToolCall, type TranscriptMessage } from "../model/transcript.ts";
import type { BegunCall, CallProcess, TurnId } from "../model/turn.ts";
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
  /** Records that a call is about to run. False when it may not. */
  begin(call: BegunCall): Promise<boolean>;
  /** Keeps a process that a call has started. */
  noteProcess(callId: ToolCall["id"], process: CallProcess): Promise<void>;
}

export type StepEvent =
  | Exclude<AgentEvent, { readonly type: "message" }>
  /** One assistant message is whole. `refused`: the results of those of its calls that do not run. */
  | {
      readonly type: "step";
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly refused: readonly ToolEnded[];
    }
  /** A call runs next. */
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | ToolEnded
  /** The last assistant message, whole. */
  | { readonly type: "finish"; readonly text: string };

/**
 * Goes on with a turn from what is stored of it, until the agent answers: runs the calls that have no result, then asks
 * the agent for its next message. Each event is to be stored before the next is asked for: so a step is stored before its
 * calls run, and the agent is asked on from what is stored. Rejects as the agent does.
 */
export async function* askAgent(agent: Agent, question: AgentQuestion): AsyncGenerator<StepEvent, void> {
  const { session, turnId, tools, signal } = question;
  for (;;) {
    const messages = await question.transcript();
    const ofTurn = messages.filter((message) => message.turnId === turnId);
    const open = openToolCalls(ofTurn);
    for (const call of open) {
      yield { type: "tool-call", call };
      yield await runOnce(call, question);
    }
    if (open.length > 0) continue;

    const steps = ofTurn.filter((message) => (message.toolCalls?.length ?? 0) > 0).length;
    const mayCall = tools.length > 0 && steps < STEP_LIMIT - 1;
    let said: Pick<Extract<AgentEvent, { type: "message" }>, "text" | "calls"> = { text: "", calls: [] };
    for await (const event of agent.run({ session, messages, tools, mayCall, signal })) {
      if (event.type === "message") said = event;
      else yield event;
    }
    if (said.calls.length === 0) {
      yield { type: "finish", text: said.text };
      return;
    }
    const calls = said.calls.map((requested, at) => numbered(requested, `${steps + 1}.${at + 1}`));
    const refused = calls.flatMap(({ call, problem }) => (problem === null ? [] : [failedCall(call, problem)]));
    yield { type: "step", text: said.text, toolCalls: calls.map(({ call }) => call), refused };
  }
}

/** Runs a call that is stored, if it has not been run. */
async function runOnce(call: ToolCall, question: AgentQuestion): Promise<ToolEnded> {
  const { session, turnId, tools, signal, begin } = question;
  const tool = tools.find(({ name }) => name === call.name);
  signal.throwIfAborted();
  if (tool && !(await begin({ id: call.id, repeats: tool.effect === "reads" }))) {
    return { type: "tool-result", call, text: TOOL_INTERRUPTED, isError: true };
  }
  const noteProcess = (process: CallProcess) => question.noteProcess(call.id, process);
  const where = { session, turnId, callId: call.id, directory: session.workingDirectory, signal, noteProcess };
  return runTool(call, tools, where);
}

function numbered({ call, problem }: RequestedCall, id: string): RequestedCall {
  return { call: { ...call, id, ...(call.id === "" ? {} : { providerId: call.id }) }, problem };
}
