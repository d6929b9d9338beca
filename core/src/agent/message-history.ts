import type { FilePart, ModelMessage, TextPart, ToolCallPart } from "ai";
import { matchResults } from "../model/call-results.ts";
import { type ProviderParts, TOOL_INTERRUPTED, type ToolCall, type TranscriptMessage } from "../model/transcript.ts";
import { withProviderParts } from "./provider-parts.ts";

/** The fields of a transcript row that go to a model. */
export type HistoryRow = Pick<TranscriptMessage, "role" | "text" | "toolCalls" | "toolCallId"> &
  Partial<Pick<TranscriptMessage, "turnId" | "providerParts" | "files">>;

/**
 * Converts a transcript to a history that providers accept, whatever a crash or another model left in it: each call has
 * exactly one result right after it, each result has a call, no message is empty, user and assistant alternate, and the
 * user begins. What a provider wants back goes to `model` alone, and with what it said since the last message of a person:
 * providers ignore it with what is older. `fileParts`: what stands behind the text of a row, its files among it.
 */
export function toModelMessages(
  rows: readonly HistoryRow[],
  model?: string,
  fileParts: ReadonlyMap<HistoryRow, readonly (FilePart | TextPart)[]> = new Map(),
): ModelMessage[] {
  const results = matchResults(rows);
  const history = new History();
  const ordered = notesBehindTurns(rows);
  const lastRequest = ordered.findLastIndex(({ role }) => role === "user");
  for (const [at, row] of ordered.entries()) {
    if (row.role === "user") {
      history.ask(row.text.trim() === "" ? "(a message without text)" : row.text, fileParts.get(row) ?? []);
    } else if (row.role === "assistant") {
      const { providerParts } = row;
      const isWanted = at > lastRequest && providerParts !== undefined && providerParts.model === model;
      history.answer(row, results.get(row) ?? [], isWanted ? providerParts : null);
    }
  }
  return history.messages;
}

/** Moves what Hermes noted during a turn behind the turn's last row: nothing may stand between a call and its result. */
function notesBehindTurns(rows: readonly HistoryRow[]): HistoryRow[] {
  const lastRowOf = new Map(rows.map(({ turnId }, at) => [turnId ?? null, at]));
  let lastOfTurn = -1;
  let notes: HistoryRow[] = [];
  return rows.flatMap((row, at) => {
    if (row.turnId) lastOfTurn = Math.max(lastOfTurn, lastRowOf.get(row.turnId) ?? at);
    else if (at < lastOfTurn) {
      notes.push(row);
      return [];
    }
    if (at < lastOfTurn) return [row];
    const behind = [row, ...notes];
    notes = [];
    return behind;
  });
}

/** The user message before an assistant message that begins the transcript. */
const OPENING = "(the session begins)";

class History {
  readonly messages: ModelMessage[] = [];
  #calls = 0;

  /** Adds what a person said, with files; two messages of people behind each other become one. */
  ask(text: string, parts: readonly (FilePart | TextPart)[]): void {
    const last = this.messages.at(-1);
    const content = [{ type: "text", text } as const, ...parts];
    if (parts.length === 0 && (last?.role !== "user" || typeof last.content === "string")) this.say("user", text);
    else if (last?.role !== "user") this.messages.push({ role: "user", content });
    else if (typeof last.content === "string") last.content = [{ type: "text", text: last.content }, ...content];
    else last.content = [...last.content, ...content];
  }

  say(role: "user" | "assistant", text: string): void {
    const last = this.messages.at(-1);
    if (last === undefined && role === "assistant") this.messages.push({ role: "user", content: OPENING });
    if (last?.role === role && typeof last.content === "string") last.content = `${last.content}\n\n${text}`;
    else this.messages.push({ role, content: text });
  }

  answer(
    { text, toolCalls = [] }: HistoryRow,
    results: readonly (HistoryRow | undefined)[],
    providerParts: ProviderParts | null,
  ): void {
    // Providers reject an empty text.
    if (text.trim() !== "") this.say("assistant", text);
    if (toolCalls.length === 0) return;
    const calls = toolCalls.map((call, at) => ({
      part: this.#callPart(call),
      result: results[at]?.text ?? TOOL_INTERRUPTED,
    }));
    const last = this.messages.at(-1);
    const said = last?.role === "assistant" && typeof last.content === "string" ? last.content : "";
    const content = [...(said === "" ? [] : [{ type: "text", text: said } as const]), ...calls.map(({ part }) => part)];
    const parts = providerParts === null ? content : withProviderParts(content, providerParts);
    if (last?.role === "assistant" && typeof last.content === "string") {
      this.messages[this.messages.length - 1] = { role: "assistant", content: parts };
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

/** Makes a tool name acceptable to providers: a model may have called a tool by a name that they reject in a history. */
export function safeToolName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
