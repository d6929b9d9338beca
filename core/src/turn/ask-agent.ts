import type { Agent, AgentEvent, RequestedCall, Tool } from "../agent/agent.ts";
import { type CountedUsage, countedUsage } from "../agent/counting-agent.ts";
import { HermesError } from "../base/errors.ts";
import type { NewApproval } from "../model/approval.ts";
import { openToolCalls } from "../model/call-results.ts";
import type { Session } from "../model/session.ts";
import type { ProviderParts, ToolCall, TranscriptMessage } from "../model/transcript.ts";
import type { TurnId } from "../model/turn.ts";
import { sentTokens } from "../model/usage.ts";
import { failedCall, type ToolEnded } from "./run-tool.ts";
import type { StepCalls, StepEnd, ToolBegins } from "./step-calls.ts";
import { callingSteps } from "./steps.ts";
import type { TurnContext } from "./turn-context.ts";

/** How often the agent is asked within one turn; the last time it may only speak. */
const STEP_LIMIT = 40;

export interface AgentQuestion {
  readonly session: Session;
  readonly turnId: TurnId;
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** Runs the calls of a step. */
  readonly calls: StepCalls;
  /** The transcript as it stands, with what this turn has added to it, and what of it the agent is sent. */
  readonly context: Pick<TurnContext, "read" | "fit" | "fitAgain" | "counted" | "sizeOf" | "answeredBy">;
  /** Stores what people say to the turn meanwhile. */
  takeIn?(): Promise<void>;
  /** Whether the turn is to be left before the agent is asked on. */
  isWanted(): boolean;
  /** What people are to be asked before the agent is: whether the turn goes on beyond a limit. Null where nothing is. */
  limitQuestion?(hasBegun: boolean): Promise<NewApproval | null>;
}

export type StepEvent =
  | Exclude<AgentEvent, { readonly type: "message" }>
  /** What the request used that gave the message which follows. */
  | { readonly type: "used"; readonly counted: CountedUsage | null }
  /** One assistant message is whole. `refused`: the results of those of its calls that do not run. */
  | {
      readonly type: "step";
      readonly text: string;
      readonly providerParts?: ProviderParts | undefined;
      readonly toolCalls: readonly ToolCall[];
      readonly refused: readonly ToolEnded[];
    }
  | ToolBegins
  | ToolEnded
  /** The last assistant message, whole. */
  | { readonly type: "finish"; readonly text: string }
  /** The turn goes on later. Always the last event. */
  | { readonly type: "leave"; readonly why: Exclude<StepEnd, { readonly kind: "done" }> };

/**
 * Goes on with a turn from what is stored of it, until the agent answers or the turn has to wait: runs the calls that have
 * no result, then asks the agent for its next message. Each event is to be stored before the next is asked for: so a step
 * is stored before its calls run, and the agent is asked on from what is stored. Rejects as the agent does.
 */
export async function* askAgent(agent: Agent, question: AgentQuestion): AsyncGenerator<StepEvent, void> {
  const { turnId, tools, context } = question;
  for (;;) {
    await question.takeIn?.();
    const messages = await context.read();
    const ofTurn = messages.filter((message) => message.turnId === turnId);
    const open = openToolCalls(ofTurn);
    if (open.length > 0) {
      const end = yield* question.calls.run(open);
      if (end.kind !== "done") return yield { type: "leave", why: end };
      continue;
    }
    if (question.isWanted()) return yield { type: "leave", why: { kind: "leaves" } };

    const steps = callingSteps(ofTurn);
    const beyond = (await question.limitQuestion?.(steps > 0)) ?? null;
    if (beyond !== null) return yield { type: "leave", why: { kind: "asks", approvals: [beyond] } };
    const mayCall = tools.length > 0 && steps < STEP_LIMIT - 1;
    const sent = await context.fit(messages);
    // Summing up the beginning takes a while.
    if (question.isWanted()) return yield { type: "leave", why: { kind: "leaves" } };
    const said = yield* askOnce(agent, question, sent, mayCall);
    yield { type: "used", counted: countedUsage(said) };
    if (said.calls.length === 0) {
      yield { type: "finish", text: said.text };
      return;
    }
    const calls = said.calls.map((requested, at) => numbered(requested, `${steps + 1}.${at + 1}`));
    const refused = calls.flatMap(({ call, problem }) => (problem === null ? [] : [failedCall(call, problem)]));
    const { text, providerParts } = said;
    yield { type: "step", text, providerParts, toolCalls: calls.map(({ call }) => call), refused };
  }
}

type Said = Extract<AgentEvent, { type: "message" }>;

/** Asks for one message; where the provider finds the transcript too long, once more with less of it. */
async function* askOnce(
  agent: Agent,
  { session, tools, signal, context }: AgentQuestion,
  first: readonly TranscriptMessage[],
  mayCall: boolean,
): AsyncGenerator<Exclude<AgentEvent, Said>, Said> {
  let messages = first;
  for (;;) {
    let said: Said = { type: "message", text: "", calls: [] };
    let hasBegun = false;
    try {
      const size = context.sizeOf(messages);
      for await (const event of agent.run({ session, messages, tools, mayCall, signal, size })) {
        if (event.type === "message") said = event;
        else {
          hasBegun ||= event.type === "text";
          yield event;
        }
      }
      if (said.model !== undefined) context.answeredBy(said.model);
      if (said.usage && !said.isEstimated) context.counted(messages, sentTokens(said.usage));
      return said;
    } catch (error) {
      const isFull = error instanceof HermesError && error.code === "AGENT_CONTEXT_FULL";
      const less = isFull && !hasBegun ? await context.fitAgain(messages, error) : null;
      if (less === null) throw error;
      messages = less;
    }
  }
}

function numbered({ call, problem }: RequestedCall, id: string): RequestedCall {
  return { call: { ...call, id, ...(call.id === "" ? {} : { providerId: call.id }) }, problem };
}
