import type { StandardSchema } from "../base/standard-schema.ts";
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
  /** Nothing was said yet, and the provider is asked once more after so many milliseconds. */
  | { readonly type: "waiting"; readonly reason: string; readonly waitMs: number }
  /** The message, whole, with the calls that it makes. Always the last event. */
  | { readonly type: "message"; readonly text: string; readonly calls: readonly RequestedCall[] };

export interface RequestedCall {
  readonly call: ToolCall;
  /** Why it cannot be run: no such tool, or an input that is no JSON. */
  readonly problem: string | null;
}

/**
 * Something an agent can do.
 *
 * @example
 * ```ts
 * const clock: Tool<{ zone: string }> = {
 *   name: "time_in",
 *   description: "Tells the time in a zone such as Europe/Oslo.",
 *   input: z.object({ zone: z.string() }),
 *   effect: "reads",
 *   summary: ({ zone }) => `the time in ${zone}`,
 *   subjects: ({ zone }) => [zone],
 *   run: async ({ zone }) => ({ text: new Date().toLocaleString("en", { timeZone: zone }) }),
 * };
 * ```
 */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** What the model has to give; a call that gives something else is not run. */
  readonly input: ToolInput<Input>;
  /** The worst that a call can do. A call that only reads may be repeated after a crash. */
  readonly effect: "reads" | "writes" | "runs" | "network";
  /** One line that a person can be asked to allow: `npm test`, `src/a.ts +3 −1`. */
  summary(input: Input): string;
  /** What rules are held against: each command of a shell line, each real path, each origin. */
  subjects(input: Input, where: ToolContext): readonly string[] | Promise<readonly string[]>;
  /** Shown when a person is asked: a diff, the whole command. Plain text. */
  detail?(input: Input, where: ToolContext): string | Promise<string>;
  /** Does it. A throw is told to the model as an error. */
  run(input: Input, where: ToolContext): Promise<ToolResult>;
}

/** A Standard Schema that also gives its JSON schema, as zod's do: https://standardschema.dev */
export interface ToolInput<Output> {
  readonly "~standard": StandardSchema<unknown, Output>["~standard"] & {
    readonly jsonSchema: {
      input(options: { readonly target: "draft-07" }): Record<string, unknown>;
    };
  };
}

/** Where a call runs. */
export interface ToolContext {
  readonly session: Session;
  /** The directory of the session; null where it has none. */
  readonly directory: string | null;
  /** Aborts when the call has to end. */
  readonly signal: AbortSignal;
}

export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
}

/** The tools that an agent has. Empty unless an embedding program registers some. */
export const TOOLS: Token<readonly Tool[]> = token("tools");
