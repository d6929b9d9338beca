import type { SentFile } from "../base/file-ref.ts";
import { redactDeep, withoutLookalikes } from "../base/redact.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { mark, withReadableMarks } from "./mark.ts";
import type { SessionId, Surface } from "./session.ts";
import type { TurnId } from "./turn.ts";

/** A message of a session's transcript. Rows are only ever appended, never changed. */
export interface TranscriptMessage extends NewMessage {
  readonly sessionId: SessionId;
  /** Numbers the messages of a session, from 1. */
  readonly seq: number;
  /** The turn it belongs to; null for a message that Hermes added between turns. */
  readonly turnId: TurnId | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface NewMessage {
  readonly role: Role;
  readonly text: string;
  /** The tool calls of an assistant message. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** What the model's provider wants back with an assistant message. */
  readonly providerParts?: ProviderParts | undefined;
  /** The call that a tool message answers. */
  readonly toolCallId?: string | undefined;
  /** Whether Hermes wrote it, rather than the person or the model: a handoff, a marker. */
  readonly internal?: boolean | undefined;
  /** The files that came with a message of a person, or that a call sent. Each was kept before this was written. */
  readonly files?: readonly SentFile[] | undefined;
  /** Where it was said; null for messages of the model and of tools. */
  readonly surface?: Surface | null | undefined;
}

/**
 * What a provider adds to a message of its model and wants back unchanged, such as signatures and reasoning. Sent to the
 * same model only; never searched, exported, logged or shown.
 */
export interface ProviderParts {
  /** `<provider>/<model>`. */
  readonly model: string;
  /** JSON, as the code that talks to providers reads it. */
  readonly parts: string;
}

export type Role = "user" | "assistant" | "tool";

export interface ToolCall {
  /** `<step>.<index>` within its turn, both from 1. Turns of an earlier Hermes have ids of the model here. */
  readonly id: string;
  /** The id that the model's provider gave it. */
  readonly providerId?: string | undefined;
  readonly name: string;
  readonly input: unknown;
}

/** The speaker of a message, as people read it. */
export function speakerOf({
  role,
  internal,
}: Pick<NewMessage, "role" | "internal">): "you" | "agent" | "tool" | "hermes" {
  if (internal) return "hermes";
  return role === "user" ? "you" : role === "assistant" ? "agent" : "tool";
}

/** Whether a message is for people: tool results, and what Hermes tells the model, are not. */
export function isSaid({ role, internal }: Pick<NewMessage, "role" | "internal">): boolean {
  return role !== "tool" && !(role === "user" && internal);
}

/** What was said, without the calls of tools and what they put out; see `seesCalls`. */
export function withoutCalls(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  return messages
    .filter((message) => isSaid(message) && (message.text.trim() !== "" || message.role === "user"))
    .map(({ toolCalls: _, ...message }) => message);
}

/** The text of a message as Markdown for people. */
export function readableText({ role, internal, text }: Pick<NewMessage, "role" | "internal" | "text">): string {
  return role === "user" || internal ? withReadableMarks(text, escapeMarkdown) : text;
}

/** A tool call as people see it: its input may hold what looks like a secret, since it is stored as it runs. */
export function shownCall({ id, name, input }: ToolCall): ToolCall {
  return { id, name, input: redactDeep(input, withoutLookalikes) };
}

/** The result of a call that had not begun when its turn ended. */
export const TOOL_NOT_RUN = mark("not run: the turn ended before this call began");

/** The result of a call that nobody allowed in time. */
export const TOOL_NOT_ANSWERED = mark("not run: nobody answered in time whether this call may run");
/** The result of a call that comes behind one in the same message that a person refused. */
export const TOOL_NOT_RUN_AFTER_NO = mark("not run: an earlier call was refused");

/** The result of a call that a person refused. */
export function callRefused(why?: string): string {
  return mark(`not run: refused${why ? `: ${why}` : ""}; do not try the same in another way`);
}

/** The result of a tool that was running when its process died. The tool is not run again. */
export const TOOL_INTERRUPTED = mark(
  "interrupted: this tool was running when Hermes stopped; whether it had an effect is not known",
);

/** In a copy of a session: the result of a call that has none where it was made. */
export const TOOL_LEFT_IN_FORK = mark(
  "not run here: this session is a copy that was made before this call had ended; in the other session it may have run",
);

/** In a copy of a session: closes the turn that had no answer yet. */
export const FORKED_TURN = mark(
  "this session is a copy that was made before this was answered; the request above is closed here",
);

/** Whether a result says that its call did not run. */
export function isNotRun(result: string): boolean {
  return result.startsWith("⟦not run: ");
}

/** Whether a result says that a person refused the call, or that nobody allowed it in time. */
export function isRefused(result: string): boolean {
  return result.startsWith("⟦not run: refused") || result === TOOL_NOT_ANSWERED;
}

/** Closes a turn that ended without an answer, so that no later turn carries out its request. */
export function turnMarker(why: "interrupted" | "stopped" | "failed", toolsRan: boolean): string {
  const tools = toolsRan ? "tools may have run" : "no tool ran";
  const ended = why === "failed" ? why : `was ${why}`;
  return mark(`this turn ${ended} before it was answered; ${tools}; the request above is closed`);
}

/** The transcript's marker for a handoff that failed after it was bound. `back`: `in the terminal`. */
export function handoffFailedMarker(platform: string, reason: string, back: string): string {
  return mark(`the handoff to ${platform} failed: ${reason}; the session is back ${back}`);
}

/** The transcript's marker for a message that its platform refused, at once or after accepting it. */
export function refusalMarker(platform: string, reason: string): string {
  return mark(`${platform} did not deliver a message of this session: ${reason}`);
}
