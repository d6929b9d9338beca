import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { count } from "../base/text.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Approval } from "./approval.ts";
import { askedText } from "./approval-text.ts";
import { matchResults, openToolCalls } from "./call-results.ts";
import { type CompactedFacts, NO_FACTS } from "./compaction.ts";
import { withReadableMarks } from "./mark.ts";
import type { Session, SessionMode } from "./session.ts";
import { hasTodoList, type TodoItem, todoListOf } from "./todo-list.ts";
import { isNotRun, shownCall, type ToolCall, type TranscriptMessage } from "./transcript.ts";
import { filesLine, type KeptState, type WorkState, workLines } from "./work-state.ts";

/**
 * A summary of a session: of its transcript, computed without a model, and of the work. What a model said of the work at a
 * handoff is taken; where none did, the transcript tells it.
 */
export interface SessionState extends WorkState {
  /**
   * The model that said where the work stands, and when, in milliseconds since 1970; null where the transcript tells
   * it.
   */
  readonly said: Pick<KeptState, "model" | "at"> | null;
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
  readonly mode: SessionMode;
  /** The questions that wait for an answer. */
  readonly questions: readonly OpenQuestion[];
  readonly todo: readonly TodoItem[];
}

type Message = Pick<TranscriptMessage, "role" | "text" | "internal" | "toolCalls" | "toolCallId"> &
  Partial<Pick<TranscriptMessage, "turnId">>;

type OpenQuestion = Pick<Approval, "code" | "kind" | "tool" | "summary">;

/** The most items of a to-do list that a card shows. */
const TODO_LIMIT = 12;

/** The maximum length of a quoted request, in UTF-16 units. */
const REQUEST_LIMIT = 160;

/** `compacted`: what is known of the messages before, where `messages` begin behind a compaction. */
export function describeSession(
  session: Pick<Session, "title" | "workingDirectory" | "model"> & Partial<Pick<Session, "mode">>,
  messages: readonly Message[],
  questions: readonly OpenQuestion[] = [],
  kept: KeptState | null = null,
  compacted: CompactedFacts = NO_FACTS,
): SessionState {
  const said = messages.filter((message) => message.role !== "tool" && message.internal !== true);
  const todo = hasTodoList(messages) ? todoListOf(messages) : compacted.todo;
  const first = compacted.firstRequest ?? shortRequest(said.find(isRequest)?.text);
  const files = [...new Set([...filesWrittenIn(messages), ...compacted.files])];
  return {
    ...(kept === null ? workOf(first, todo, files) : workIn(kept)),
    said: kept === null ? null : { model: kept.model, at: kept.at },
    title: session.title,
    messageCount: compacted.said + said.length,
    toolCallCount: messages.reduce((count, message) => count + (message.toolCalls?.length ?? 0), compacted.calls),
    firstRequest: first,
    lastRequest: shortRequest(said.findLast(isRequest)?.text) ?? first,
    openToolCalls: openToolCalls(messages).map(shownCall),
    workingDirectory: session.workingDirectory,
    model: session.model ?? kept?.model ?? null,
    mode: session.mode ?? "default",
    questions,
    todo,
  };
}

/** Whether a message asks for something. Looks at all of a text, so that it is asked of as few as possible. */
function isRequest({ role, text }: Message): boolean {
  return role === "user" && oneLine(text) !== "";
}

/** Where the work stands, as far as a transcript shows it. */
function workOf(request: string | null, todo: readonly TodoItem[], files: readonly string[]): WorkState {
  const next = todo.find(({ state }) => state === "doing") ?? todo.find(({ state }) => state === "open");
  return {
    task: request,
    progress: null,
    decisions: [],
    nextStep: next === undefined ? null : shorten(oneLine(next.text), REQUEST_LIMIT),
    openQuestions: [],
    files,
  };
}

function workIn({ task, progress, decisions, nextStep, openQuestions, files }: KeptState): WorkState {
  return { task, progress, decisions, nextStep, openQuestions, files };
}

/** The tools that write a file, whose path they are given. */
const WRITING: readonly string[] = ["write", "edit"];

/** The files that tools wrote, the last one first. */
export function filesWrittenIn(messages: readonly Message[]): string[] {
  const results = matchResults(messages);
  const written = messages.flatMap((message) =>
    (message.toolCalls ?? []).flatMap(({ name, input }, at) => {
      const { path } = Object(input);
      const result = results.get(message)?.[at];
      const ran = result !== undefined && !isNotRun(result.text);
      return WRITING.includes(name) && typeof path === "string" && ran ? [oneLine(path)] : [];
    }),
  );
  return [...new Set(written.reverse())];
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
  if (state.mode !== "default") lines.push(`Mode: ${state.mode}`);
  if (state.said !== null) {
    lines.push(...workLines(state));
    if (state.lastRequest !== null) lines.push(`Last request: “${escapeMarkdown(state.lastRequest)}”`);
  } else if (state.firstRequest === null) {
    lines.push("Nothing was asked yet");
  } else if (state.firstRequest === state.lastRequest) {
    lines.push(`Request: “${escapeMarkdown(state.firstRequest)}”`);
  } else {
    lines.push(`First request: “${escapeMarkdown(state.firstRequest)}”`);
    lines.push(`Last request: “${escapeMarkdown(state.lastRequest ?? "")}”`);
  }
  if (state.said === null) lines.push(...filesLine(state.files));
  if (state.openToolCalls.length > 0) {
    const names = [...new Set(state.openToolCalls.map((call) => codeSpan(oneLine(call.name))))];
    lines.push(`Without a result: ${count(state.openToolCalls.length, "tool call")} (${names.join(", ")})`);
  }
  lines.push(...state.questions.map(questionLine));
  if (state.todo.length > 0) lines.push(todoLine(state.todo));
  return lines;
}

/** What is asked, and the code by which it is answered, as a line of Markdown. */
export function questionLine(question: OpenQuestion): string {
  return `Waits for an answer: ${codeSpan(oneLine(askedText(question)))} (code ${question.code})`;
}

const SIGNS = { open: "·", doing: "▸", done: "✓" } as const;

/** A to-do list as Markdown, for an item of a list. */
export function todoLine(items: readonly TodoItem[]): string {
  const done = items.filter(({ state }) => state === "done").length;
  // What is done is the least of interest where not all has room.
  const shown = items.length > TODO_LIMIT ? items.filter(({ state }) => state !== "done").slice(0, TODO_LIMIT) : items;
  const left = items.length - shown.length;
  const rows = shown.map(
    ({ text, state }) => `${SIGNS[state]} ${escapeMarkdown(shorten(oneLine(text), REQUEST_LIMIT))}`,
  );
  const all = left > 0 ? [...rows, `and ${left} more`] : rows;
  return [`To do: ${done} of ${items.length} done`, ...all.map((row) => `  - ${row}`)].join("\n");
}

/** A request as a card quotes it. */
export function shortRequest(text: string | undefined): string | null {
  return text === undefined ? null : shorten(oneLine(withReadableMarks(text)), REQUEST_LIMIT);
}
