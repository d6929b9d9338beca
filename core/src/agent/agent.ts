import { type Token, token } from "../base/tokens.ts";
import type { Session } from "../model/session.ts";
import type { ToolCall, TranscriptMessage } from "../model/transcript.ts";

/** What answers. The one of Hermes speaks to a model; anything that yields these events can take its place. */
export interface Agent {
  /** The name of its model: `<provider>/<model>`, or `offline`. The session's own where that is set. */
  modelOf(session: Session): string;
  /**
   * Says one assistant message behind `messages`, and ends with it. It runs no tool: whoever asks stores the calls that
   * the message makes, runs them, and asks again with their results. Throws a HermesError when there is no message.
   */
  run(request: AgentRequest): AsyncIterable<AgentEvent>;
}

export const AGENT: Token<Agent> = token("agent");

export interface AgentRequest {
  readonly session: Session;
  readonly messages: readonly TranscriptMessage[];
  /** What it may use; empty in a turn that may be repeated. */
  readonly tools: readonly Tool[];
  /** False: it may only speak, although there are tools. */
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
}

export type AgentEvent =
  | { readonly type: "text"; readonly delta: string }
  /** The message, whole, with the calls that it makes. Always the last event. */
  | { readonly type: "message"; readonly text: string; readonly calls: readonly RequestedCall[] };

export interface RequestedCall {
  readonly call: ToolCall;
  /** Why it cannot be run: no such tool, or an input that is no JSON. */
  readonly problem: string | null;
}

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
