import { type Concealer, redactDeep } from "../base/redact.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";

/** What a call that repeats a secret gets as its result: with the secret taken out, it would do something else. */
const HOLDS_SECRET = "not run: the input holds a secret of Hermes, which tools do not get";

/** Wraps an agent so that neither its answers nor its tool calls contain a secret of this Hermes. */
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
  const said = stream();
  for await (const event of agent.run(request)) {
    if (event.type === "waiting") {
      yield { ...event, reason: conceal(event.reason) };
      continue;
    }
    if (event.type === "spent" || event.type === "fallback") {
      yield event;
      continue;
    }
    const delta = event.type === "text" ? said.push(event.delta) : said.end();
    if (delta !== "") yield { type: "text", delta };
    if (event.type === "text") continue;
    const calls = event.calls.map(({ call, problem }) => {
      const safe = { ...call, input: redactDeep(call.input, conceal) };
      const holdsSecret = JSON.stringify(safe.input) !== JSON.stringify(call.input);
      return { call: safe, problem: holdsSecret ? HOLDS_SECRET : problem && conceal(problem) };
    });
    const { providerParts } = event;
    // A provider takes back only what it gave, and what repeats a secret is not kept.
    const isSafe = providerParts !== undefined && conceal(providerParts.parts) === providerParts.parts;
    const parts = isSafe ? providerParts : undefined;
    yield { ...event, text: conceal(event.text), calls, providerParts: parts };
  }
}
