import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { mark, withReadableMarks } from "./mark.ts";
import type { SessionId, Surface } from "./session.ts";
import type { TurnId } from "./turn.ts";

/** The ordered messages of a session. Rows are added; none is changed. */
export interface TranscriptMessage extends NewMessage {
  readonly sessionId: SessionId;
  /** Grows by one with each message of the session, from 1. */
  readonly seq: number;
  /** The turn it belongs to; null for what Hermes added between turns. */
  readonly turnId: TurnId | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface NewMessage {
  readonly role: Role;
  readonly text: string;
  /** Of an assistant message: the tools it calls. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
  /** Of a tool message: the call it answers. */
  readonly toolCallId?: string | undefined;
  /** Written by Hermes rather than by the person or the model: a handoff, a marker. */
  readonly internal?: boolean | undefined;
  /** Where it was said; null for a model's and a tool's. */
  readonly surface?: Surface | null | undefined;
}

export type Role = "user" | "assistant" | "tool";

export interface ToolCall {
  /** Unique within its turn, not beyond. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Who says a message, as a person reads it. */
export function speakerOf({
  role,
  internal,
}: Pick<NewMessage, "role" | "internal">): "you" | "agent" | "tool" | "hermes" {
  if (internal) return "hermes";
  return role === "user" ? "you" : role === "assistant" ? "agent" : "tool";
}

/** Whether people read it: not a tool's result, nor what Hermes tells the model. */
export function isSaid({ role, internal }: Pick<NewMessage, "role" | "internal">): boolean {
  return role !== "tool" && !(role === "user" && internal);
}

/** What a message says, as Markdown for people. */
export function readableText({ role, internal, text }: Pick<NewMessage, "role" | "internal" | "text">): string {
  return role === "user" || internal ? withReadableMarks(text, escapeMarkdown) : text;
}

/** Stands for the result of a tool that was running when its process died. It is not run again. */
export const TOOL_INTERRUPTED = mark(
  "interrupted: this tool was running when Hermes stopped; whether it had an effect is not known",
);

/** Closes a turn that ended without an answer, so that its order cannot come alive in a later turn. */
export function turnMarker(why: "interrupted" | "stopped" | "failed", toolsRan: boolean): string {
  const tools = toolsRan ? "tools may have run" : "no tool ran";
  const ended = why === "failed" ? why : `was ${why}`;
  return mark(`this turn ${ended} before it was answered; ${tools}; the request above is closed`);
}

/** What the transcript says of a handoff that failed after it was bound. */
export function handoffFailedMarker(platform: string, reason: string): string {
  return mark(`the handoff to ${platform} failed: ${reason}; the session is back in the terminal`);
}

/** What the transcript says of a message that its platform refused, at once or after it took it. */
export function refusalMarker(platform: string, reason: string): string {
  return mark(`${platform} did not deliver a message of this session: ${reason}`);
}

/** The calls of `messages` that no tool message answers, oldest first. Ids are matched within one assistant message's reach. */
export function openToolCalls(
  messages: readonly Pick<TranscriptMessage, "role" | "toolCalls" | "toolCallId">[],
): ToolCall[] {
  let pending: ToolCall[] = [];
  const open: ToolCall[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const at = pending.findIndex((call) => call.id === message.toolCallId);
      if (at >= 0) pending.splice(at, 1);
    } else if (message.role === "user" || message.toolCalls?.length) {
      // What is only said in between, by Hermes, ends nobody's wait for a result.
      open.push(...pending);
      pending = [...(message.toolCalls ?? [])];
    }
  }
  return [...open, ...pending];
}
