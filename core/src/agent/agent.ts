import type { SentFile } from "../base/file-ref.ts";
import type { ToolInput } from "../base/standard-schema.ts";
import { type Token, token } from "../base/tokens.ts";
import type { Session, Visibility } from "../model/session.ts";
import type { ProviderParts, ToolCall, TranscriptMessage } from "../model/transcript.ts";
import type { CallProcess, TurnId } from "../model/turn.ts";
import type { TokenUsage } from "../model/usage.ts";

export type { ToolInput };

/** Answers the user. Hermes' own agent calls a model; anything that yields these events can replace it. */
export interface Agent {
  /** The model for a session: `<provider>/<model>`, or `no model`. The session's own model takes precedence. */
  modelOf(session: Session): string;
  /**
   * Produces the one assistant message that follows `messages`. It runs no tools: the caller stores the message's tool
   * calls, runs them, and calls again with their results. Throws a HermesError when there is no message.
   */
  run(request: AgentRequest): AsyncIterable<AgentEvent>;
}

export const AGENT: Token<Agent> = token("agent");

export interface AgentRequest {
  readonly session: Session;
  readonly messages: readonly TranscriptMessage[];
  /** The tools it may use; empty in a turn that may be repeated. */
  readonly tools: readonly Tool[];
  /** When false, it must answer without a tool call, although there are tools. */
  readonly mayCall: boolean;
  readonly signal: AbortSignal;
  /** What the messages take; without it, nobody asks whether a model can read them. */
  readonly size?: RequestSize;
}

/** What the messages of a request take, in tokens. */
export interface RequestSize {
  readonly tokens: number;
  /** The window of the model for which they were made to fit. */
  readonly window: number;
}

export type AgentEvent =
  | { readonly type: "text"; readonly delta: string }
  /** No text has come yet, and the request is retried after `waitMs`. */
  | { readonly type: "waiting"; readonly reason: string; readonly waitMs: number }
  /** Another model answers, since those before it did not: `a/b is overloaded; c/d answers`. Before its first words. */
  | { readonly type: "fallback"; readonly text: string }
  /** A model had begun to answer, and gives no message: what it has written so far has to be paid for. */
  | {
      readonly type: "spent";
      /** Undefined where the provider did not count. */
      readonly usage?: TokenUsage | undefined;
      readonly model: string;
      /** What the model had written, its reasoning included. */
      readonly written: string;
      readonly isEstimated?: boolean | undefined;
    }
  /** The complete message, with its tool calls. Always the last event. */
  | {
      readonly type: "message";
      readonly text: string;
      readonly calls: readonly RequestedCall[];
      /** Stored with the message, and sent back with it. */
      readonly providerParts?: ProviderParts | undefined;
      /** What the provider counted; undefined where it did not, null where no model was asked. */
      readonly usage?: TokenUsage | null | undefined;
      /** The model that answered: `<provider>/<model>`. The session's where it is left out. */
      readonly model?: string | undefined;
      /** Whether `usage` is an estimate: Hermes makes one where it is undefined. */
      readonly isEstimated?: boolean | undefined;
    };

export interface RequestedCall {
  readonly call: ToolCall;
  /** Why the call cannot run: the tool is unknown, or the input is not JSON. Null when it can. */
  readonly problem: string | null;
}

/**
 * A tool that an agent can call.
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
  /** The schema of the input; a call whose input does not match is not run. */
  readonly input: ToolInput<Input>;
  /** Whether it works in the session's directory: a session without one does not have it. */
  readonly needsDirectory?: boolean;
  /** The worst that a call can do. A call that only reads may be repeated after a crash. */
  readonly effect: "reads" | "writes" | "runs" | "network";
  /** Describes a call on one line, for a person who is asked to allow it: `npm test`, `src/a.ts +3 −1`. */
  summary(input: Input): string;
  /** Lists what permission rules match against: each command of a shell line, each real path, each origin. */
  subjects(input: Input, where: ToolContext): readonly string[] | Promise<readonly string[]>;
  /** Shown when a person is asked: a diff, the whole command. Plain text. */
  detail?(input: Input, where: ToolContext): string | Promise<string>;
  /**
   * What people are asked instead of running it: the call's result is their answer. Only the agent's own questions have
   * it.
   */
  asks?(input: Input): { readonly question: string; readonly answers: readonly string[] };
  /** Runs the call. The model gets whatever it throws as an error result. */
  run(input: Input, where: ToolContext): Promise<ToolResult>;
}

/** The context that a call runs in. */
export interface ToolContext {
  readonly session: Session;
  /** The session's working directory; null when it has none. */
  readonly directory: string | null;
  /** Aborts when the call has to end. */
  readonly signal: AbortSignal;
  /** Shows what a call puts out while it runs, piece by piece, as it came: unsafe for a terminal until made safe. */
  report?(text: string): void;
  /** The turn and the id of the call within it: what a call keeps is found again by them. */
  readonly turnId?: TurnId | undefined;
  readonly callId?: ToolCall["id"] | undefined;
  /** Which sessions the place of the turn may see, at this moment. */
  readonly visible?: Visibility | undefined;
  /**
   * Where the whole of a result that is too long for the model is kept:
   * `<home>/outputs/<session>/<turn>/<step>.<index>`.
   */
  readonly outputFile?: string | undefined;
  /**
   * Records a process that leads a group, before it does anything: should Hermes die during the call, whoever goes on with
   * the turn ends the group first.
   */
  noteProcess?(process: CallProcess): Promise<void>;
}

export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  /** The files that the call sends to the person, each kept already (`FILES`). */
  readonly files?: readonly SentFile[];
}

/** The tools that an agent has. Empty unless an embedding program registers some. */
export const TOOLS: Token<readonly Tool[]> = token("tools");
