import { type Random, seededRandom } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../model/transcript.ts";
import { type HistoryRow, toModelMessages } from "./message-history.ts";

function row(random: Random): HistoryRow {
  const text = random.pick(["", "  ", "Yes.", "Look."]);
  const id = () => random.pick(["a", "b", "c", ""]);
  const role = random.pick(["user", "assistant", "assistant", "tool", "tool"] as const);
  if (role === "tool") return { role, text, toolCallId: id() };
  const call = (): ToolCall => ({
    id: id(),
    name: random.pick(["read", "web.find", ""]),
    input: random.pick<unknown>([{}, "x", null]),
  });
  const toolCalls = role === "assistant" ? Array.from({ length: random.below(3) }, call) : undefined;
  return { role, text, toolCalls };
}

describe("a transcript on its way to a model", () => {
  it("any transcript becomes a history that follows the providers' rules", () => {
    for (let seed = 0; seed < 2000; seed++) {
      const random = seededRandom(seed);
      const rows = Array.from({ length: random.below(14) }, () => row(random));
      const messages = toModelMessages(rows);
      const name = `seed ${seed}`;
      const ids = new Set<string>();
      for (const [at, message] of messages.entries()) {
        if (at === 0) expect(message.role, name).toBe("user");
        const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
        expect(parts.length, name).toBeGreaterThan(0);
        for (const part of parts) if ("text" in part) expect(part.text, name).toMatch(/\S/);
        const calls = parts.flatMap((part) => ("input" in part && "toolCallId" in part ? [part] : []));
        for (const { toolCallId, toolName } of calls) {
          expect(ids, name).not.toContain(toolCallId);
          ids.add(toolCallId);
          expect(toolName, name).toMatch(/^[\w-]+$/);
        }
        const next = messages[at + 1];
        if (calls.length > 0) {
          const results = next?.role === "tool" ? next.content : [];
          const answered = results.map((part) => ("toolCallId" in part ? part.toolCallId : ""));
          expect(answered, name).toEqual(calls.map(({ toolCallId }) => toolCallId));
        } else {
          expect(next?.role, name).not.toBe("tool");
          expect(next?.role, name).not.toBe(message.role);
        }
      }
    }
  });

  it("a tool call stays next to its result although Hermes' marker came in between", () => {
    const call = { id: "a", name: "read", input: {} };
    const messages = toModelMessages([
      { role: "user", text: "Read it." },
      { role: "assistant", text: "", toolCalls: [call] },
      { role: "assistant", text: "⟦pager did not deliver a message of this session⟧" },
      { role: "tool", text: "contents", toolCallId: "a" },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(JSON.stringify(messages[2])).toContain("contents");
  });

  it("no text of a person or a model is lost on its way to a model", () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seededRandom(seed);
      const rows = Array.from({ length: 10 }, (_, at): HistoryRow => ({ ...row(random), text: `word${at}` }));
      const sent = JSON.stringify(toModelMessages(rows));
      for (const { role, text } of rows) if (role !== "tool") expect(sent, `seed ${seed}`).toContain(`${text}`);
    }
  });
});
