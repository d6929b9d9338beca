import { NO_MODEL } from "../model/model-choice.ts";
import { describeSession, renderStateCard } from "../model/session-state.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";

const NONE_IS_SET =
  'No model is set. Put one into hermes.config.ts, such as `model: "anthropic/claude-sonnet-4-5"`, and its key into the ' +
  "environment, such as `ANTHROPIC_API_KEY`.";

/** Answers when no model is set: it says so, and summarises the transcript without any model. */
export const standInAgent: Agent = {
  modelOf: () => NO_MODEL,
  async *run({ session, messages, signal }: AgentRequest): AsyncGenerator<AgentEvent, void> {
    const asksForState = messages.at(-1)?.internal === true;
    const opening = `I cannot ${asksForState ? "go on with the work by myself" : "answer this"}. ${NONE_IS_SET}`;
    const card = renderStateCard(describeSession(session, messages));
    const text = asksForState
      ? `This is where things stand, read from the transcript.\n\n${card}\n\n${opening}`
      : `${opening}\n\nWhere this session stands:\n\n${card}`;
    for (const delta of text.match(/[^\n]*\n+|[^\n]+$/g) ?? []) {
      signal.throwIfAborted();
      yield { type: "text", delta };
    }
    yield { type: "message", text, calls: [], usage: null };
  },
};
