import { z } from "zod";
import type { Tool } from "../agent/agent.ts";
import { seenLine } from "./seen-line.ts";

const input = z.object({
  question: z.string().trim().min(1).max(2000).describe("The whole question, in plain text"),
  answers: z
    .array(z.string().trim().min(1).max(60))
    .max(5)
    .default([])
    .describe("Short answers to choose from; the person may write another one"),
});
type Input = z.output<typeof input>;

/** Asks the person. The turn waits, as long as it takes, and the answer is the call's result. */
export const questionTool: Tool<Input> = {
  name: "question",
  description:
    "Asks the person something that only they can decide, and waits for the answer. Do not ask for permission with it: " +
    "other tools ask by themselves.",
  input,
  effect: "reads",
  summary: ({ question }) => seenLine(question),
  subjects: () => [],
  asks: ({ question, answers }) => ({ question, answers }),
  run: async () => ({ text: "Nobody was asked." }),
};
