import { type Token, token } from "../base/tokens.ts";
import type { Session } from "../model/session.ts";
import type { ToolCall, TranscriptMessage } from "../model/transcript.ts";

/** What answers. The one of Hermes speaks to a model; anything that yields these events can take its place. */
export interface Agent {
  /** The name of its model: `<provider>/<model>`, or `offline`. The session's own where that is set. */
  modelOf(session: Session): string;
  /**
   * Answers the last message of `messages`. Each event is stored before the next is asked for; so a `tool-call` is
   * durable before the tool runs. Ends with `finish`; throws a HermesError when there is no answer.
   */
  run(request: AgentRequest): AsyncIterable<AgentEvent>;
}

export const AGENT: Token<Agent> = token("agent");

export interface AgentRequest {
  readonly session: Session;
  readonly messages: readonly TranscriptMessage[];
  /** What it may use; empty in a turn that may be repeated. */
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
}

export type AgentEvent =
  | { readonly type: "text"; readonly delta: string }
  /** One assistant message is whole: its text since the last one, and the tools it calls, which run next. */
  | { readonly type: "step"; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly type: "tool-result"; readonly call: ToolCall; readonly text: string; readonly isError: boolean }
  /** The last assistant message, whole. */
  | { readonly type: "finish"; readonly text: string };

/** Something an agent can do. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Returns what the model reads. A throw is told to the model as an error. */
  execute(input: unknown, context: { readonly session: Session; readonly signal: AbortSignal }): Promise<string>;
}

/** The tools that an agent has. Empty unless an embedding program registers some. */
export const TOOLS: Token<readonly Tool[]> = token("tools");
