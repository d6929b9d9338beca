import { type Concealer, redactDeep } from "../base/redact.ts";
import type { ToolCall } from "../session/transcript.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";

/** An agent that repeats no secret of this Hermes, whatever its model was told: neither in an answer nor in a call. */
export function concealingAgent(agent: Agent, concealer: Concealer): Agent {
  return {
    modelOf: (session) => agent.modelOf(session),
    run: (request) => conceal(agent, concealer, request),
  };
}

async function* conceal(agent: Agent, { conceal, settledLength }: Concealer, request: AgentRequest) {
  // What the model has said and was not passed on: its end may be the beginning of a secret.
  let pending = "";
  const passOn = function* (length: number): Generator<AgentEvent> {
    if (length === 0) return;
    yield { type: "text", delta: conceal(pending.slice(0, length)) };
    pending = pending.slice(length);
  };
  for await (const event of agent.run(request)) {
    if (event.type === "text") {
      pending += event.delta;
      yield* passOn(settledLength(pending));
      continue;
    }
    yield* passOn(pending.length);
    if (event.type === "step") {
      yield { ...event, text: conceal(event.text), toolCalls: event.toolCalls.map(concealCall) };
    } else if (event.type === "tool-result") {
      yield { ...event, call: concealCall(event.call), text: conceal(event.text) };
    } else {
      yield { ...event, text: conceal(event.text) };
    }
  }

  function concealCall(call: ToolCall): ToolCall {
    return { ...call, input: redactDeep(call.input, conceal) };
  }
}
