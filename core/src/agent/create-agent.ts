import type { Clock } from "../base/clock.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { Files } from "../files/files.ts";
import { NO_MODEL } from "../model/model-choice.ts";
import type { Session } from "../model/session.ts";
import type { Agent, AgentEvent, AgentRequest } from "./agent.ts";
import type { AiSdkAgentOptions } from "./ai-sdk-agent.ts";
import type { ModelCatalogue } from "./model-catalogue.ts";
import type { ModelHealth } from "./model-health.ts";
import { standInAgent } from "./stand-in-agent.ts";

export interface CreateAgentOptions {
  readonly config: Pick<LoadedConfig, "model" | "providers" | "instructions" | "modelTimeouts"> &
    Partial<Pick<LoadedConfig, "models">>;
  /** Holds the API keys. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** By default, Hermes' own table of models. */
  readonly catalogue?: ModelCatalogue;
  /** Where it is kept which models did not answer. */
  readonly health?: ModelHealth;
  /** Without it, the files of messages are only named. */
  readonly files?: Files;
  /** What the folder of a session says of the work there. */
  readonly folderInstructions?: AiSdkAgentOptions["folderInstructions"];
}

/**
 * Makes Hermes' own agent. It uses the session's model, or else the config's, or else the stand-in, which says that
 * no model is set. Where a model does not answer, those of `models.fallback` are asked.
 */
export function createAgent({ config, ...parts }: CreateAgentOptions): Agent {
  const modelOf = (session: Session) => session.model ?? config.model ?? NO_MODEL;
  const { providers, instructions, modelTimeouts: timeouts } = config;
  const fallback = config.models?.fallback ?? [];
  let loading: Promise<Agent> | null = null;
  // Loaded for the first request: most processes ask no model.
  const load = async () => {
    const { createAiSdkAgent } = await import("./ai-sdk-agent.ts");
    return createAiSdkAgent({ ...parts, providers, instructions, timeouts, fallback, modelOf });
  };
  async function* online(request: AgentRequest): AsyncGenerator<AgentEvent> {
    loading ??= load();
    yield* (await loading).run(request);
  }
  return {
    modelOf,
    run: (request) => (modelOf(request.session) === NO_MODEL ? standInAgent.run(request) : online(request)),
  };
}
