import type { ModelMessage, ToolCallPart } from "ai";
import { TOOL_INTERRUPTED, type ToolCall, type TranscriptMessage } from "../model/transcript.ts";

/** The fields of a transcript row that go to a model. */
export type HistoryRow = Pick<TranscriptMessage, "role" | "text" | "toolCalls" | "toolCallId">;

/**
 * Converts a transcript to a history that providers accept, whatever a crash or another model left in it: each call has
 * exactly one result right after it, each result has a call, no message is empty, user and assistant alternate, and the
 * user begins.
 */
export function toModelMessages(rows: readonly HistoryRow[]): ModelMessage[] {
  const history = new History();
  for (const [at, row] of rows.entries()) {
    if (row.role === "user") history.say("user", row.text.trim() === "" ? "(a message without text)" : row.text);
    else if (row.role === "assistant") history.answer(row, resultsBehind(rows, at));
  }
  return history.messages;
}

/**
 * The tool rows after the assistant row at `at`, up to the next user message or the next row with tool calls. One of
 * Hermes' markers may stand between them; the history has it after them.
 */
function resultsBehind(rows: readonly HistoryRow[], at: number): HistoryRow[] {
  const behind = rows.slice(at + 1);
  const end = behind.findIndex(({ role, toolCalls }) => role === "user" || (toolCalls?.length ?? 0) > 0);
  return (end < 0 ? behind : behind.slice(0, end)).filter(({ role }) => role === "tool");
}

/** The user message before an assistant message that begins the transcript. */
const OPENING = "(the session begins)";

class History {
  readonly messages: ModelMessage[] = [];
  #calls = 0;

  say(role: "user" | "assistant", text: string): void {
    const last = this.messages.at(-1);
    if (last === undefined && role === "assistant") this.messages.push({ role: "user", content: OPENING });
    if (last?.role === role && typeof last.content === "string") last.content = `${last.content}\n\n${text}`;
    else this.messages.push({ role, content: text });
  }

  answer({ text, toolCalls = [] }: HistoryRow, results: readonly HistoryRow[]): void {
    // Providers reject an empty text.
    if (text.trim() !== "") this.say("assistant", text);
    if (toolCalls.length === 0) return;
    const open = [...results];
    const calls = toolCalls.map((call) => ({ part: this.#callPart(call), result: takeResult(open, call) }));
    const parts = calls.map(({ part }) => part);
    const last = this.messages.at(-1);
    if (last?.role === "assistant" && typeof last.content === "string") {
      this.messages[this.messages.length - 1] = {
        role: "assistant",
        content: [{ type: "text", text: last.content }, ...parts],
      };
    } else {
      if (last === undefined) this.messages.push({ role: "user", content: OPENING });
      this.messages.push({ role: "assistant", content: parts });
    }
    this.messages.push({
      role: "tool",
      content: calls.map(({ part: { toolCallId, toolName }, result }) => ({
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: "text", value: result || "(no output)" },
      })),
    });
  }

  /** Numbers the calls of each request anew, in a form that all providers accept: ids repeat across turns and models. */
  #callPart({ name, input }: ToolCall): ToolCallPart {
    const toolCallId = `call${String(++this.#calls).padStart(5, "0")}`;
    return { type: "tool-call", toolCallId, toolName: safeToolName(name), input: isRecord(input) ? input : { input } };
  }
}

/** Removes the result of a call from `results`, and returns its text. */
function takeResult(results: HistoryRow[], call: ToolCall): string {
  const at = results.findIndex((row) => row.toolCallId === call.id);
  return at < 0 ? TOOL_INTERRUPTED : (results.splice(at, 1)[0]?.text ?? "");
}

/** Makes a tool name acceptable to providers: a model may have called a tool by a name that they reject in a history. */
export function safeToolName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
