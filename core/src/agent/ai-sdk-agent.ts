import { HermesError } from "../base/errors.ts";
import type { Session } from "../model/session.ts";
import type { Agent } from "./agent.ts";
import { type AssistantReply, askModel } from "./ask-model.ts";
import { toAgentError } from "./model-error.ts";
import { type ProviderSettings, resolveModel } from "./model-provider.ts";
import { systemPrompt } from "./system-prompt.ts";

export interface AiSdkAgentOptions extends ProviderSettings {
  readonly instructions: string | null;
  /** The model for a session: `<provider>/<model>`. */
  modelOf(session: Session): string;
}

/** Makes an agent that calls a model. Throws AGENT_… errors, or the signal's reason when it aborts. */
export function createAiSdkAgent(options: AiSdkAgentOptions): Agent {
  const { modelOf, instructions, clock } = options;
  return {
    modelOf,
    async *run({ session, messages, ...question }) {
      const name = modelOf(session);
      const resolved = await resolveModel(name, options);
      const system = systemPrompt(session, { instructions, now: clock.now() });
      try {
        const reply = yield* askModel({ ...question, clock, name, resolved, system, rows: messages });
        const calls = question.mayCall ? reply.calls : [];
        const providerParts = reply.parts.end(name);
        yield { type: "message", text: calls.length > 0 ? reply.text : finalText(reply), calls, providerParts };
      } catch (error) {
        question.signal.throwIfAborted();
        throw toAgentError(error, name, resolved);
      }
    },
  };
}

function finalText({ text, calls, finishReason }: AssistantReply): string {
  if (text.trim() !== "") return text;
  const why =
    finishReason === "content-filter"
      ? "its provider held the answer back"
      : calls.length > 0
        ? "it called a tool where it was to answer"
        : `its answer was empty${finishReason === "" ? "" : ` (${finishReason})`}`;
  throw new HermesError("AGENT_FAILED", { reason: why });
}
