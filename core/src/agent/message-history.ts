import type { ModelMessage, ToolCallPart } from "ai";
import { TOOL_INTERRUPTED, type ToolCall, type TranscriptMessage } from "../model/transcript.ts";

/** What of a transcript's row a model gets to see. */
export type HistoryRow = Pick<TranscriptMessage, "role" | "text" | "toolCalls" | "toolCallId">;

/**
 * The transcript as providers take it, whatever a crash or another model left in it: each call has exactly one result
 * right behind it, no result is without a call, no message is empty, user and assistant alternate, the user begins.
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
 * The tool rows that follow an assistant's row before it calls again or is asked. A marker of Hermes may have come in
 * between; it is said behind them.
 */
function resultsBehind(rows: readonly HistoryRow[], at: number): HistoryRow[] {
  const behind = rows.slice(at + 1);
  const end = behind.findIndex(({ role, toolCalls }) => role === "user" || (toolCalls?.length ?? 0) > 0);
  return (end < 0 ? behind : behind.slice(0, end)).filter(({ role }) => role === "tool");
}

/** Stands before an assistant message that nobody asked for. */
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
    // Only an empty text is left out: a provider refuses it.
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

  /** Ids repeat over turns and models, so each request numbers its calls anew, in a form that every provider takes. */
  #callPart({ name, input }: ToolCall): ToolCallPart {
    const toolCallId = `call${String(++this.#calls).padStart(5, "0")}`;
    return { type: "tool-call", toolCallId, toolName: safeToolName(name), input: isRecord(input) ? input : { input } };
  }
}

/** The result of a call, taken out of those that are left. */
function takeResult(results: HistoryRow[], call: ToolCall): string {
  const at = results.findIndex((row) => row.toolCallId === call.id);
  return at < 0 ? TOOL_INTERRUPTED : (results.splice(at, 1)[0]?.text ?? "");
}

/** A model may have called a tool by a name that providers refuse to read again. */
export function safeToolName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
