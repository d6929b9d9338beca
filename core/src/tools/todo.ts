import { z } from "zod";
import type { Tool, ToolResult } from "../agent/agent.ts";
import { count } from "../base/text.ts";

const input = z.object({
  items: z
    .array(z.object({ text: z.string().min(1).max(500), state: z.enum(["open", "doing", "done"]) }))
    .max(100)
    .describe("The whole list, in order; it replaces the former one"),
});
type Input = z.output<typeof input>;

const SIGNS = { open: "[ ]", doing: "[>]", done: "[x]" } as const;

/** Writes down what is to be done. The list is the last call's input in the transcript, and so moves with the session. */
export const todoTool: Tool<Input> = {
  name: "todo",
  description: "Keeps the list of what is to be done in this session. Use it for work of several steps.",
  input,
  effect: "reads",
  summary: ({ items }) =>
    `${count(items.length, "item")}, ${items.filter(({ state }) => state === "done").length} done`,
  subjects: () => [],
  run: async ({ items }): Promise<ToolResult> => {
    const lines = items.map(({ text, state }) => `${SIGNS[state]} ${text}`);
    return { text: lines.length === 0 ? "The list is empty." : lines.join("\n") };
  },
};
