import type { Conversation } from "./conversation.ts";

/** The calls of tools in a turn, for people to see. */
export interface ShownTurn {
  readonly turnId: string;
  /** Whether it runs, or waits to go on. */
  readonly isOpen: boolean;
  /** In the order in which the model made them. */
  readonly calls: readonly ShownCall[];
}

/** A call of a tool. All texts are plain text, without secrets and of a bounded length. */
export interface ShownCall {
  /** Unique within its turn. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** What it does, on one line. */
  readonly summary: string;
  /** `waits`: for calls in front of it, or for people. `not-run`: it was refused, or its turn ended before it began. */
  readonly state: "waits" | "runs" | "done" | "failed" | "not-run";
  /** Milliseconds since 1970; null where it has not begun, or nobody knows when. */
  readonly beganAt: number | null;
  readonly endedAt: number | null;
  /**
   * The part of its outcome that is shown at once: of a call that runs, the last lines that it has put out so far. Null
   * while there is none.
   */
  readonly outcome: CallOutcome | null;
}

/** What a call put out, or as a unified diff what it changed in a file. */
export interface CallOutcome {
  readonly kind: "text" | "diff";
  readonly lines: readonly string[];
  /** How many more lines there are: behind those of a diff, in front of those of a text. */
  readonly folded: number;
}

/** A message that was said in a session before it came to a place. */
export interface EarlierMessage {
  /** Its number in the transcript. */
  readonly seq: number;
  readonly author: "user" | "agent" | "hermes";
  /** Where a person wrote it, such as `in the terminal`; null for other messages. */
  readonly place: string | null;
  /** Empty where there are only calls. */
  readonly markdown: string;
  /** Milliseconds since 1970. */
  readonly saidAt: number;
  /** Null for what was said between turns. */
  readonly turnId: string | null;
  /** The calls that it made; none where people at the place may not see them. */
  readonly calls: readonly ShownCall[];
}

/** A part of what was said before. */
export interface EarlierPart {
  /** Oldest first. */
  readonly messages: readonly EarlierMessage[];
  /** The `before` for the part in front of this one; null where it begins the session. */
  readonly before: number | null;
}

/**
 * What was said and done in sessions, for an adapter that mirrors. Who may see it is looked up at each call. What was said
 * is for everybody who reads the conversation; calls and what they put out are shown in private chats of operators only,
 * since tools act for them.
 */
export interface SessionHistory {
  /**
   * The calls of turns that an adapter got messages of; see {@link SendOptions.turnId}. Leaves out what may not be
   * seen.
   */
  calls(at: Conversation, turnIds: readonly string[]): Promise<readonly ShownTurn[]>;
  /** The whole outcome of a call, up to 2,000 lines; null where there is none to be seen. */
  outcome(at: Conversation, turnId: string, callId: string): Promise<CallOutcome | null>;
  /** What was said in a session in front of a message of its transcript; null where nobody there may see it any more. */
  earlier(at: Conversation, sessionId: string, before: number): Promise<EarlierPart | null>;
}

/** The history where a host has none: nothing is to be seen. */
export const NO_HISTORY: SessionHistory = {
  calls: async () => [],
  outcome: async () => null,
  earlier: async () => null,
};
