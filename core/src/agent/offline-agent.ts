import { describeSession, renderStateCard } from "../model/session-state.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";

/** The model name of the offline agent. */
export const OFFLINE = "offline";

const NO_MODEL =
  'No model is configured. Set one in hermes.config.ts, such as `model: "anthropic/claude-sonnet-4-5"`, and its key in ' +
  "the environment, such as `ANTHROPIC_API_KEY`.";

/** Answers when no model is configured: it says so, and summarises the transcript without any model. */
export const offlineAgent: Agent = {
  modelOf: () => OFFLINE,
  async *run({ session, messages, signal }: AgentRequest): AsyncGenerator<AgentEvent, void> {
    const asksForState = messages.at(-1)?.internal === true;
    const opening = asksForState
      ? `I cannot go on with the work by myself: there is no model behind me. ${NO_MODEL}`
      : `I cannot answer this. ${NO_MODEL}`;
    const card = renderStateCard({ ...describeSession(session, messages), model: OFFLINE });
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
