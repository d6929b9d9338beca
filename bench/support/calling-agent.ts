import type { Agent, Tool, ToolInput } from "@hermes/core/embed";

const TOOL = "nothing";

/** Takes any input. */
const ANYTHING: ToolInput<{ readonly of?: string }> = {
  "~standard": {
    version: 1,
    vendor: "bench",
    validate: (value) => ({ value: value as { readonly of?: string } }),
    jsonSchema: { input: () => ({ type: "object" }) },
  },
};

/** A tool that does nothing. A rule has to allow it, or a person. */
export function idleTool(onRun: (of: string) => void = () => {}): Tool {
  const tool: Tool<{ readonly of?: string }> = {
    ...{ name: TOOL, description: "Does nothing.", input: ANYTHING, effect: "runs" },
    summary: ({ of = "" }) => `nothing ${of}`.trim(),
    subjects: ({ of = "" }) => [of],
    run: async ({ of = "" }) => {
      onRun(of);
      return { text: "Nothing was done." };
    },
  };
  return tool as Tool;
}

/** The rule that allows all calls of it. */
export const IDLE_RULE = `${TOOL}(*)`;

/** An agent that calls the tool: in so many steps of a turn, so often in each of them, about what it was asked. */
export function callingAgent(plan: (of: string) => { readonly steps: number; readonly each: number }): Agent {
  return {
    modelOf: () => "bench/calls",
    async *run({ messages, mayCall }) {
      const asked = messages.findLastIndex(({ role, internal }) => role === "user" && !internal);
      const of = messages[asked]?.text.split("\n").at(-1) ?? "";
      const made = messages.slice(asked).filter(({ toolCalls = [] }) => toolCalls.length > 0).length;
      const { steps, each } = plan(of);
      const isLast = made >= steps;
      if (!isLast && !mayCall) throw new Error("the turn takes fewer steps");
      const call = { id: "", name: TOOL, input: { of } };
      yield {
        ...{ type: "message", text: isLast ? "Done." : "" },
        calls: isLast ? [] : Array.from({ length: each }, () => ({ call, problem: null })),
      };
    },
  };
}
