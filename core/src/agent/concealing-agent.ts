import { type Concealer, redactDeep } from "../base/redact.ts";
import type { ToolCall } from "../model/transcript.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";

/** An agent that repeats no secret of this Hermes, whatever its model was told: neither in an answer nor in a call. */
export function concealingAgent(agent: Agent, concealer: Concealer): Agent {
  return {
    modelOf: (session) => agent.modelOf(session),
    run: (request) => conceal(agent, concealer, request),
  };
}

async function* conceal(
  agent: Agent,
  { conceal, stream }: Concealer,
  request: AgentRequest,
): AsyncGenerator<AgentEvent> {
  let said = stream();
  for await (const event of agent.run(request)) {
    const delta = event.type === "text" ? said.push(event.delta) : said.end();
    if (delta !== "") yield { type: "text", delta };
    if (event.type === "text") continue;
    said = stream();
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
