import { HermesError } from "../base/errors.ts";
import type { Instructions } from "../config/folder-instructions.ts";
import type { Files } from "../files/files.ts";
import type { Session } from "../model/session.ts";
import type { Agent } from "./agent.ts";
import { type AssistantReply, askModel, spent } from "./ask-model.ts";
import { FallingBack } from "./fallback.ts";
import { FileParts } from "./file-parts.ts";
import { createModelCatalogue, type ModelCatalogue, windowOf } from "./model-catalogue.ts";
import { refusalOf, toAgentError } from "./model-error.ts";
import type { ModelHealth } from "./model-health.ts";
import { type ProviderSettings, resolveModel } from "./model-provider.ts";
import { systemPrompt } from "./system-prompt.ts";
import { withoutRefused } from "./without-refused.ts";

export interface AiSdkAgentOptions extends ProviderSettings {
  readonly instructions: string | null;
  /** What the folder of a session says of the work there. */
  folderInstructions?(session: Session): readonly Instructions[];
  /** The model for a session: `<provider>/<model>`. */
  modelOf(session: Session): string;
  /** What is known of models. */
  readonly catalogue?: ModelCatalogue;
  /** The files that messages name. */
  readonly files?: Files;
  /** The models to ask, in this order, where the session's does not answer. */
  readonly fallback?: readonly string[];
  /** Where it is kept which models did not answer. */
  readonly health?: ModelHealth | undefined;
}

/** Makes an agent that calls a model. Throws AGENT_… errors, or the signal's reason when it aborts. */
export function createAiSdkAgent(options: AiSdkAgentOptions): Agent {
  const { modelOf, instructions, clock, catalogue = createModelCatalogue() } = options;
  const files = options.files && new FileParts(options.files);
  const falling = new FallingBack({
    ...{ models: options.fallback ?? [], health: options.health ?? null },
    windowOf: (model) => windowOf(catalogue, model),
    async *ask(name, { session, messages, ...question }) {
      const resolved = await resolveModel(name, options);
      const system = systemPrompt(session, {
        ...{ instructions, now: clock.now() },
        // Who may use no tools there is answered without them.
        folder: question.tools.length === 0 ? [] : (options.folderInstructions?.(session) ?? []),
      });
      const request = { files, rows: messages, model: name, facts: catalogue.factsOf(name) };
      const refusal = (thrown: unknown) => (question.signal.aborted ? null : refusalOf(thrown, name, resolved));
      try {
        const reply = yield* withoutRefused({ ...request, refusal }, (fileParts) =>
          askModel({ ...question, clock, name, resolved, system, rows: messages, fileParts }),
        );
        const calls = question.mayCall ? reply.calls : [];
        const failure = calls.length > 0 ? null : whyNoAnswer(reply, name);
        if (failure !== null) {
          yield spent(name, reply);
          throw failure;
        }
        const providerParts = reply.parts.end(name);
        yield { type: "message", text: reply.text, calls, providerParts, usage: reply.usage, model: name };
      } catch (error) {
        question.signal.throwIfAborted();
        throw toAgentError(error, name, resolved);
      }
    },
  });
  return { modelOf, run: (request) => falling.run(modelOf(request.session), request) };
}

/** Why a reply without calls is no answer; null where it is one. */
function whyNoAnswer({ text, calls, finishReason, rawReason }: AssistantReply, model: string): HermesError | null {
  if (text.trim() !== "") return null;
  if (finishReason === "content-filter") return new HermesError("AGENT_REFUSED", { model });
  // Anthropic: what was sent fits in the window, an answer to it does not.
  if (rawReason === "model_context_window_exceeded") return new HermesError("AGENT_CONTEXT_FULL", { model });
  const empty = `its answer was empty${finishReason === "" ? "" : ` (${finishReason})`}`;
  const reason = calls.length > 0 ? "it called a tool where it was to answer" : empty;
  return new HermesError("AGENT_FAILED", { reason });
}
