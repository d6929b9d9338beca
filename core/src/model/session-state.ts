import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { count } from "../base/text.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import { openToolCalls } from "./call-results.ts";
import { withReadableMarks } from "./mark.ts";
import type { Session } from "./session.ts";
import { shownCall, type ToolCall, type TranscriptMessage } from "./transcript.ts";

/** A summary of a session, computed from its transcript without a model. */
export interface SessionState {
  readonly title: string | null;
  /** Messages of the person and the model, without Hermes' own rows and tool results. */
  readonly messageCount: number;
  readonly toolCallCount: number;
  /** The person's first and last message, shortened to one line; null when there is none yet. */
  readonly firstRequest: string | null;
  readonly lastRequest: string | null;
  /** Tool calls without a result. */
  readonly openToolCalls: readonly ToolCall[];
  readonly workingDirectory: string | null;
  readonly model: string | null;
}

/** The maximum length of a quoted request, in UTF-16 units. */
const REQUEST_LIMIT = 160;

export function describeSession(
  session: Pick<Session, "title" | "workingDirectory" | "model">,
  messages: readonly (Pick<TranscriptMessage, "role" | "text" | "internal" | "toolCalls" | "toolCallId"> &
    Partial<Pick<TranscriptMessage, "turnId">>)[],
): SessionState {
  const said = messages.filter((message) => message.role !== "tool" && message.internal !== true);
  const requests = said.filter((message) => message.role === "user" && oneLine(message.text) !== "");
  return {
    title: session.title,
    messageCount: said.length,
    toolCallCount: messages.reduce((count, message) => count + (message.toolCalls?.length ?? 0), 0),
    firstRequest: shortRequest(requests.at(0)?.text),
    lastRequest: shortRequest(requests.at(-1)?.text),
    openToolCalls: openToolCalls(messages).map(shownCall),
    workingDirectory: session.workingDirectory,
    model: session.model,
  };
}

/** Renders the state as Markdown. Text of people and models in it is data: on one line, quoted, its markup escaped. */
export function renderStateCard(state: SessionState): string {
  const title = state.title === null ? "Untitled session" : oneLine(state.title);
  return [`**${escapeMarkdown(title)}**`, "", ...stateLines(state).map((line) => `- ${line}`)].join("\n");
}

/** The facts without the title, one line of Markdown each. */
function stateLines(state: SessionState): string[] {
  const lines = [`${count(state.messageCount, "message")}, ${count(state.toolCallCount, "tool call")}`];
  if (state.workingDirectory !== null) lines.push(`Working directory: ${codeSpan(oneLine(state.workingDirectory))}`);
  if (state.model !== null) lines.push(`Model: ${codeSpan(oneLine(state.model))}`);
  if (state.firstRequest === null) {
    lines.push("Nothing was asked yet");
  } else if (state.firstRequest === state.lastRequest) {
    lines.push(`Request: “${escapeMarkdown(state.firstRequest)}”`);
  } else {
    lines.push(`First request: “${escapeMarkdown(state.firstRequest)}”`);
    lines.push(`Last request: “${escapeMarkdown(state.lastRequest ?? "")}”`);
  }
  if (state.openToolCalls.length > 0) {
    const names = [...new Set(state.openToolCalls.map((call) => codeSpan(oneLine(call.name))))];
    lines.push(`Without a result: ${count(state.openToolCalls.length, "tool call")} (${names.join(", ")})`);
  }
  return lines;
}

function shortRequest(text: string | undefined): string | null {
  return text === undefined ? null : shorten(oneLine(withReadableMarks(text)), REQUEST_LIMIT);
}
