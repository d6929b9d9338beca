import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { count } from "../base/text.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import { withReadableMarks } from "./mark.ts";
import type { Session } from "./session.ts";
import { openToolCalls, type ToolCall, type TranscriptMessage } from "./transcript.ts";

/** Where a session stands, read from its transcript and not from a model. */
export interface SessionState {
  readonly title: string | null;
  /** What the person and the model said; Hermes' own rows and tool results are not counted. */
  readonly messageCount: number;
  readonly toolCallCount: number;
  /** What the person asked first and last: on one line, shortened; null when nothing was asked yet. */
  readonly firstRequest: string | null;
  readonly lastRequest: string | null;
  /** Calls without a result. */
  readonly openToolCalls: readonly ToolCall[];
  readonly workingDirectory: string | null;
  readonly model: string | null;
}

/** The longest quoted request, in UTF-16 units. */
const REQUEST_LIMIT = 160;

export function describeSession(
  session: Pick<Session, "title" | "workingDirectory" | "model">,
  messages: readonly Pick<TranscriptMessage, "role" | "text" | "internal" | "toolCalls" | "toolCallId">[],
): SessionState {
  const said = messages.filter((message) => message.role !== "tool" && message.internal !== true);
  const requests = said.filter((message) => message.role === "user" && oneLine(message.text) !== "");
  return {
    title: session.title,
    messageCount: said.length,
    toolCallCount: messages.reduce((count, message) => count + (message.toolCalls?.length ?? 0), 0),
    firstRequest: shortRequest(requests.at(0)?.text),
    lastRequest: shortRequest(requests.at(-1)?.text),
    openToolCalls: openToolCalls(messages),
    workingDirectory: session.workingDirectory,
    model: session.model,
  };
}

/** The state as Markdown. What people and models wrote stands in it as data: on one line, quoted, without markup. */
export function renderStateCard(state: SessionState): string {
  const title = state.title === null ? "Untitled session" : oneLine(state.title);
  return [`**${escapeMarkdown(title)}**`, "", ...stateLines(state).map((line) => `- ${line}`)].join("\n");
}

/** The facts, one Markdown line each, without the title. */
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
