import { NO_MODEL } from "../model/model-choice.ts";
import type { TokenUsage } from "../model/usage.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";

/** What a request used, whoever counted it. */
export interface CountedUsage {
  readonly usage: TokenUsage;
  readonly model: string;
  /** Whether it is an estimate: the provider did not count. */
  readonly isEstimated: boolean;
}

/** What a request used; null where no model was asked. The event comes from a {@link countingAgent}. */
export function countedUsage(event: Extract<AgentEvent, { type: "message" | "spent" }>): CountedUsage | null {
  const { usage, model, isEstimated = false } = event;
  return usage == null || model === undefined ? null : { usage, model, isEstimated };
}

/**
 * Wraps an agent so that each of its messages, and whatever it has spent without one, says which model answered and how
 * many tokens it used: an estimate where the provider did not count.
 */
export function countingAgent(agent: Agent): Agent {
  return { modelOf: (session) => agent.modelOf(session), run: (request) => count(agent, request) };
}

async function* count(agent: Agent, request: AgentRequest): AsyncGenerator<AgentEvent, void> {
  for await (const event of agent.run(request)) {
    if (event.type !== "message" && event.type !== "spent") {
      yield event;
      continue;
    }
    const model = event.model ?? agent.modelOf(request.session);
    if (event.usage !== undefined || model === NO_MODEL) {
      yield { ...event, model };
      continue;
    }
    const written = event.type === "spent" ? event.written : writtenIn(event);
    yield { ...event, model, usage: estimated(request, written), isEstimated: true };
  }
}

function writtenIn({ text, calls, providerParts }: Extract<AgentEvent, { type: "message" }>): string {
  return [text, ...calls.map(({ call }) => JSON.stringify(call.input) ?? ""), providerParts?.parts ?? ""].join("");
}

function estimated({ messages, tools }: AgentRequest, written: string): TokenUsage {
  const sent = [
    ...messages.map(({ text, toolCalls = [] }) => text + (toolCalls.length > 0 ? JSON.stringify(toolCalls) : "")),
    ...tools.map(({ name, description }) => name + description),
  ];
  const input = sent.reduce((sum, text) => sum + tokensIn(text), 0);
  return { input, cacheRead: 0, cacheWrite: 0, output: tokensIn(written) };
}

/** Four bytes are about one token. */
function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
